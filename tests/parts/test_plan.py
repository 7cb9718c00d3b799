"""What follows from the config of a stack of parts, number by number: nodes, Ray, storage."""

from typing import Any

import pytest

from catalog import Catalog
from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import changed
from tests.parts.claim_samples import CLAIMED
from tests.parts.preset_samples import MIXED, PLACED
from tests.parts.samples import AUTOPILOT, BARE, CLASSIFIER, DEV, RL, SERVE, TPU, VERL
from tests.programs import WITH_TOKEN

TPU_AUTOPILOT = {
    **TPU,
    "cluster": {"mode": "autopilot"},
    "pools": {"tpu": TPU["pools"]["tpu"]},
}
# Pods that mount a bucket say what they write beside it.
RL_WITH_DISK = changed(
    RL,
    ray__rl__head__requests__ephemeral_storage_gib=20,
    ray__rl__workers__gpu__requests__ephemeral_storage_gib=20,
)


def planned(config: dict[str, Any], **values: Any) -> Plan:
    return validate(changed(config, **values), secrets_set=WITH_TOKEN)


# Nodes


def test_a_standard_cluster_has_a_pool_of_cpus_that_nobody_has_to_name() -> None:
    pools = planned(BARE).pools
    assert list(pools) == ["cpu", "gpu"]
    assert (pools["cpu"].machine.name, pools["cpu"].nodes) == ("e2-standard-4", 2)
    assert list(planned(AUTOPILOT).pools) == ["gpu"]


def test_a_pool_is_of_the_kind_of_its_machine() -> None:
    kinds = {
        it.name: it.kind for it in (*planned(DEV).pools.values(), *planned(TPU).pools.values())
    }
    assert kinds == {"cpu": "cpu", "gpu": "gpu", "tpu": "tpu"}


def test_the_nodes_of_tpus_follow_from_topology_and_slices() -> None:
    pool = planned(TPU).pools["tpu"]
    # 4x4 chips on machines of four, twice.
    assert (pool.slices, pool.nodes) == ((0, 1), 8)
    assert planned(TPU, pools__tpu__slices=[3, 7, 9]).pools["tpu"].nodes == 12


def test_a_pool_that_scales_has_the_bounds_it_says_and_another_none() -> None:
    plan = planned(VERL)
    assert (plan.pools["gpu"].bounds.min, plan.pools["gpu"].bounds.max) == (2, 10)
    cpu = planned(RL).pools["cpu"]
    assert (cpu.bounds.min, cpu.bounds.max, cpu.scales) == (cpu.nodes, cpu.nodes, False)


def test_spot_machines_with_gpus_come_from_none_and_spot_machines_without_are_there() -> None:
    gpu = planned(RL).pools["gpu"]
    spot = {"machine_type": "e2-standard-4", "nodes": 2, "capacity": {"mode": "spot"}}
    cpu = planned(BARE, pools__cpu=spot).pools["cpu"]
    assert (gpu.bounds.min, gpu.bounds.max, gpu.from_zero) == (0, 8, True)
    assert not cpu.from_zero


def test_spot_machines_that_no_pod_is_ever_pending_for_are_there_from_the_start() -> None:
    claimed = planned(CLAIMED, pools__gpu__capacity={"mode": "spot"}).pools["gpu"]
    assert "pods claim the GPUs" in (claimed.never_pending or "")
    assert (claimed.from_zero, claimed.bounds.min) == (False, claimed.nodes)
    placed = planned(MIXED, **PLACED, pools__gpu__capacity={"mode": "spot"}).pools["gpu"]
    assert "Kueue assigns pods" in (placed.never_pending or "")
    assert not placed.from_zero


def test_slices_that_come_by_flex_start_come_from_none() -> None:
    pool = planned(TPU, pools__tpu__capacity={"mode": "flex-start"}).pools["tpu"]
    assert (pool.bounds.min, pool.bounds.max) == (0, 8)


def test_what_a_node_leaves_to_pods_depends_on_its_disk_in_pools_alone() -> None:
    small = planned(BARE).pools["cpu"].host.node
    large = planned(BARE, pools__cpu={"machine_type": "e2-standard-4", "nodes": 2})
    assert large.pools["cpu"].host.node == small
    disk = {"machine_type": "e2-standard-4", "nodes": 2, "disk": {"size_gb": 400}}
    more = planned(BARE, pools__cpu=disk).pools["cpu"].host.node
    assert more.ephemeral_storage_mib > small.ephemeral_storage_mib
    assert more.cpu_millicores == small.cpu_millicores


def test_on_autopilot_single_pods_are_on_the_largest_node_that_it_has() -> None:
    plan = planned(AUTOPILOT)
    assert plan.cpu_pool is None
    assert plan.cpu_host.name == "c2-standard-30"
    assert planned(VERL).cpu_host.machine.name == "c2-standard-16"


# Ray


def test_a_worker_is_on_each_node_and_has_all_its_gpus() -> None:
    ray = planned(VERL).ray["verl"]
    assert (ray.workers, ray.gpus) == (2, 16)
    assert ray.groups["gpu"].devices == ("eth0", *(f"eth{n}" for n in range(1, 10)))


def test_a_worker_is_on_each_slice_with_a_pod_on_each_host() -> None:
    group = planned(TPU).ray["tpu"].groups["tpu"]
    assert (group.count, group.hosts, group.chips) == (2, 4, 4)


def test_workers_without_pools_are_on_all_that_have_accelerators() -> None:
    group = planned(VERL, pools__more=VERL["pools"]["gpu"]).ray["verl"].groups["gpu"]
    assert [it.name for it in group.pools] == ["gpu", "more"]
    assert group.count == 4


def test_the_head_is_on_the_first_cpus_or_where_it_says() -> None:
    more = {"machine_type": "e2-standard-8", "nodes": 1}
    assert planned(DEV, pools__more=more).ray["dev"].head_host.name == "e2-standard-4"
    plan = planned(
        DEV,
        pools__more=more,
        ray__dev__head__pool="more",
        queues__flavors__cpu__pool="more",
    )
    assert plan.ray["dev"].head_host.name == "e2-standard-8"


@pytest.mark.parametrize(
    ("config", "name", "image"),
    [
        (DEV, "dev", "ray_gpu"),
        (RL, "rl", "nemo_rl"),
        (VERL, "verl", "verl"),
        (TPU, "tpu", "ray_tpu"),
        (CLASSIFIER, "classifier", "ray_gpu"),
    ],
)
def test_image_and_version_are_the_locks_for_the_job(
    config: dict[str, Any], name: str, image: str
) -> None:
    ray, locked = planned(config).ray[name], Catalog.load().image(image)
    assert (ray.image, ray.version) == (locked.reference, locked.ray_version)


def test_an_image_and_a_version_of_the_configs_own_are_taken() -> None:
    own = {"ray__dev__image": "rayproject/ray:2.40.0", "ray__dev__version": "2.40.0"}
    ray = planned(DEV, **own).ray["dev"]
    assert (ray.image, ray.version) == ("rayproject/ray:2.40.0", "2.40.0")


# Storage


def test_each_gpu_of_a_worker_writes_its_files_at_once() -> None:
    plan = planned(VERL)
    assert plan.ray["verl"].files_at_once == 8
    assert plan.buckets["data"].files_at_once == 8
    # By two processes each.
    on_disk = {"requests": {"cpu": 12, "memory_gib": 48, "ephemeral_storage_gib": 9}}
    groups = {"gpu": {"requests": {"cpu": 100, "memory_gib": 1000, "ephemeral_storage_gib": 9}}}
    runs = planned(RL, buckets={"runs": {}}, ray__rl={"head": on_disk, "workers": groups})
    assert runs.buckets["runs"].files_at_once == 16
    # A host of TPUs writes its share of a checkpoint.
    assert planned(TPU).buckets["data"].files_at_once == 6
    assert planned(SERVE).buckets["models"].files_at_once == 1


def test_the_container_that_mounts_grows_with_the_files_and_the_head_writes_one() -> None:
    ray, facts = planned(VERL).ray["verl"], Catalog.load()
    worker, head = ray.limits(head=False), ray.limits(head=True)
    assert worker is not None
    assert head is not None
    usual = facts.gcsfuse_sidecar
    assert worker.cpu == usual.cpu_millicores * 8 / 1000
    assert head.cpu == usual.cpu_millicores / 1000
    needed = usual.memory_mib + 8 * facts.gcsfuse.streamed_file_mib
    assert worker.memory_gib == -(-needed // 1024)


def test_one_container_mounts_all_buckets_of_a_pod() -> None:
    room = {"ray__verl__workers__gpu__requests__cpu": 200}
    both = planned(VERL, buckets__more={"mount_path": "/more"}, **room).ray["verl"]
    one = planned(VERL).ray["verl"]
    many, single = both.limits(head=False), one.limits(head=False)
    assert many is not None
    assert single is not None
    assert (many.cpu, many.memory_gib) == (2 * (single.cpu or 0), 2 * (single.memory_gib or 0))


def test_a_pod_mounts_what_its_cluster_names() -> None:
    config = {**RL_WITH_DISK, "buckets": {it: {"mount_path": f"/{it}"} for it in "ab"}}
    assert planned(config).ray["rl"].mounts == ("lustre", "a", "b")
    assert planned(config, ray__rl__mounts=["b"]).ray["rl"].mounts == ("b",)


def test_verl_has_its_data_in_a_bucket_and_others_where_ranks_write_fastest() -> None:
    plan = planned({**RL_WITH_DISK, "buckets": {"a": {"mount_path": "/a"}}})
    assert plan.storage_of(plan.ray_jobs["grpo"]) == "lustre"
    both = planned(VERL, lustre=RL["lustre"])
    assert both.storage_of(both.ray_jobs["grpo"]) == "data"
    assert both.buckets["data"].claimed


def test_hosts_of_tpus_have_no_limit_of_the_sidecar_but_the_configs_own() -> None:
    limits = planned(TPU).ray["tpu"].limits(head=False)
    assert limits is not None
    assert (limits.cpu, limits.memory_gib, limits.ephemeral_storage_gib) == (0, 0, 0)
    own = planned(TPU, buckets__data__mount__sidecar={"memory_gib": 7}).ray["tpu"]
    limited = own.limits(head=False)
    assert limited is not None
    assert limited.memory_gib == 7
    autopilot = planned(TPU_AUTOPILOT).ray["tpu"].limits(head=False)
    assert autopilot is not None
    assert autopilot.cpu
