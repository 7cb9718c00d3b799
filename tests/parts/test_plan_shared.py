"""What follows from a stack of parts for what its parts share: quotas, networks, the version."""

from typing import Any

import pytest

from catalog import Catalog
from tests.parts.samples import AUTOPILOT, BARE, CLASSIFIER, DEV, RL, SERVE, TPU, TWO_ZONES, VERL
from tests.parts.test_plan import TPU_AUTOPILOT, planned

_GPU = "nvidia.com/gpu"

# Queues


def test_a_queue_that_says_nothing_has_all_that_its_pools_can_ever_have() -> None:
    queues = planned(DEV).queues
    assert queues is not None
    facts, gpus = Catalog.load(), queues.quotas["gpus"]
    assert gpus["l4"][_GPU] == 1
    assert gpus["cpu"][_GPU] == 0
    assert gpus["l4"]["cpu"] == facts.allocatable("g2-standard-8").cpu_millicores
    more = planned(DEV, pools__gpu__autoscaling={"min": 0, "max": 3}).queues
    assert more is not None
    assert more.quotas["gpus"]["l4"][_GPU] == 3


def test_queues_share_what_they_say_nothing_of() -> None:
    queues = planned(
        SERVE,
        queues__cluster_queues={"gpus": {"flavors": {"l4": {"gpus": 4}}}, "rest": {}},
        jobs__tune__pods=1,
    ).queues
    assert queues is not None
    # Six GPUs in three machines.
    assert {name: it["l4"][_GPU] for name, it in queues.quotas.items()} == {"gpus": 4, "rest": 2}


@pytest.mark.parametrize(
    "values",
    [
        # What others lend is not known to be too little.
        {
            "queues__cluster_queues__gpus": {
                "flavors": {"l4": {"gpus": 0}, "cpu": {}},
                "cohort": "a",
            }
        },
        # Two workers are of use to what asks for no more.
        {"queues__cluster_queues__gpus__flavors": {"l4": {"gpus": 2}, "cpu": {}}},
    ],
)
def test_a_ray_cluster_that_scales_may_share_its_nodes(values: dict[str, Any]) -> None:
    pool = {"machine_type": "g2-standard-8", "nodes": 3}
    assert planned(DEV, pools__gpu=pool, **values).ray["dev"].accelerated.count == 3


def test_kueue_waits_as_long_as_flex_start_may_take() -> None:
    usual, slow = planned(SERVE), planned(DEV, pools__gpu__capacity={"mode": "flex-start"})
    assert usual.queues is not None
    assert slow.queues is not None
    assert slow.queues.ready_minutes == 7 * 24 * 60 > usual.queues.ready_minutes


# Networks


def test_pools_with_rdma_in_two_zones_have_networks_of_their_own() -> None:
    first, second = planned(TWO_ZONES).interface_sets
    assert [(it.zone, it.suffix, it.pools) for it in (first, second)] == [
        ("us-west3-b", "", ("first",)),
        ("us-west3-c", "-second", ("second",)),
    ]
    assert (first.offset, second.offset) == (0, len(first.interfaces))
    assert (first.most_nodes, second.most_nodes) == (2, 3)


def test_pools_in_one_zone_share_their_networks() -> None:
    (both,) = planned(TWO_ZONES, pools__second__zone=None).interface_sets
    assert (both.pools, both.most_nodes) == (("first", "second"), 5)


def test_only_ranges_that_something_needs_are_in_the_plan() -> None:
    usual = {"subnet", "pods", "services", "control_plane"}
    found = {name: set(planned(it).ranges) - usual for name, it in (("bare", BARE), ("rl", RL))}
    assert found == {"bare": set(), "rl": {"peering", "accelerators.range"}}
    assert set(planned(TPU).ranges) - usual == set()
    own = planned(TPU, pools__tpu__interfaces="own").ranges
    assert set(own) - usual == {"dcn[0].range", "dcn[1].range"}
    assert set(planned(TPU_AUTOPILOT).ranges) - usual == set()


def test_a_tpu_pod_claims_all_interfaces_or_one_in_each_network_of_the_config() -> None:
    plan, autopilot = planned(TPU), planned(TPU_AUTOPILOT)
    machine = plan.pools["tpu"].machine
    assert plan.claims(plan.pools["tpu"]) == 2
    one = planned(TPU, network={"dcn": [{"name": "a", "range": "10.50.0.0/16"}]})
    assert one.claims(one.pools["tpu"]) == 1
    none = planned(TPU, network={"dcn": []})
    assert none.claims(none.pools["tpu"]) == 0
    assert autopilot.claims(autopilot.pools["tpu"]) == len(machine.additional_interfaces)
    assert plan.claims(plan.pools["cpu"]) == 0


# The cluster


@pytest.mark.parametrize(
    ("config", "features"),
    [
        (BARE, set()),
        (DEV, {"ray_operator", "gcsfuse_streaming_writes"}),
        (TPU, {"ray_operator", "gcsfuse_streaming_writes", "dranet"}),
        (CLASSIFIER, {"gcsfuse_streaming_writes"}),
    ],
)
def test_what_a_stack_uses_of_gke_is_known(config: dict[str, Any], features: set[str]) -> None:
    assert set(planned(config).features) == features


def test_lustre_and_rdma_are_features_too() -> None:
    assert {"lustre_csi", "multi_network"} < set(planned(RL).features)
    assert "multi_network_autopilot" in planned(AUTOPILOT).features
    flex = {"pools__gpu__capacity": {"mode": "flex-start"}, "pools__gpu__autoscaling__min": 0}
    assert "flex_start" in planned(DEV, **flex).features


def test_the_locks_gke_is_asked_for_where_something_has_a_minimum() -> None:
    locked = Catalog.load().versions.gke.version
    assert planned(VERL).gke_version == locked
    assert planned(BARE, cluster={"release_channel": "RAPID"}).gke_version is None
    own = planned(VERL, cluster={"version": "1.34.1-gke.1829001"}).gke_version
    assert str(own) == "1.34.1-gke.1829001"


def test_the_control_plane_is_in_the_region_or_in_the_zone() -> None:
    assert planned(DEV).location == "us-central1-a"
    assert planned(BARE).location == "us-central1"


def test_names_follow_from_the_stacks() -> None:
    plan = planned(DEV)
    assert (plan.cluster_name, plan.account_name, plan.tokens_name) == ("dev", "dev", "dev-tokens")
    named = planned(DEV, service_account="runner", cluster={"name": "other"})
    assert (named.cluster_name, named.account_name) == ("other", "runner")


def test_a_buckets_key_is_in_its_names_unless_it_says_bucket() -> None:
    buckets = planned(DEV, buckets__models={"mount_path": "/models"}).buckets
    names = {key: (it.name, it.volume) for key, it in buckets.items()}
    assert names == {
        "bucket": ("dev-my-project", "bucket"),
        "models": ("dev-models-my-project", "bucket-models"),
    }


def test_a_fine_tuning_has_the_only_pool_bucket_and_queue() -> None:
    tuning = planned(SERVE).fine_tunings["tune"]
    assert (tuning.pool.name, tuning.bucket.key, tuning.queue) == ("gpu", "models", "lq")
    assert tuning.name == "tune"


def test_a_server_has_the_locks_image_of_its_engine() -> None:
    facts = Catalog.load()
    assert planned(SERVE).servers["gemma"].image == facts.image("tgi").reference
    chat = {"gpus": 2, "requests": {"cpu": 4, "memory_gib": 30, "ephemeral_storage_gib": 30}}
    plan = planned(BARE, servers={"chat": chat})
    assert plan.servers["chat"].image == facts.image("vllm").reference
