"""TPU pools in queues: quotas in chips, and tolerations for their nodes."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stacks.config import validate
from tests.conftest import Recording, Register, changed
from tests.parts.samples import TPU
from tests.unit.stack_graphs import built

CHIPS, GPUS = "google.com/tpu", "nvidia.com/gpu"
V6E = {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 2}
ALONE = {"pools": {"tpu": V6E}, "ray": {}, "jobs": {}, "buckets": {}, "servers": {}}


def config(**values: Any) -> dict[str, Any]:
    """The Kueue file of Google's blueprint for v6e as a config (GoogleCloudPlatform/cluster-toolkit
    104708037, examples/gke-consumption-options/dws-flex-start/gke-tpu-v6e)."""
    return changed(TPU, **{**ALONE, "queues": {}, **values})


def quotas_of(values: dict[str, Any], queue: str = "cluster-queue") -> dict[str, dict[str, int]]:
    queues = validate(values).queues
    assert queues is not None
    return queues.quotas[queue]


def covered(made: Recording, queue: str) -> dict[str, dict[str, str]]:
    """Quota of each resource that a ClusterQueue covers, by flavor."""
    (group,) = made.named(f"queues-cluster-queue-{queue}").inputs["spec"]["resourceGroups"]
    return {
        flavor["name"]: {it["name"]: it["nominalQuota"] for it in flavor["resources"]}
        for flavor in group["flavors"]
    }


def test_a_flavor_on_a_tpu_pool_gives_out_all_its_chips_and_no_gpus() -> None:
    (quota,) = quotas_of(config()).values()
    assert (quota[CHIPS], quota[GPUS]) == (2 * 16, 0)


@given(st.sampled_from(["1x1", "2x2", "2x4", "4x4", "8x8"]), st.integers(1, 6))
def test_the_chips_of_a_quota_are_those_of_all_slices(topology: str, slices: int) -> None:
    one = topology == "1x1"
    machine = "ct6e-standard-1t" if one else "ct6e-standard-4t"
    pool = {"machine_type": machine, "topology": topology, "slices": slices}
    rows, columns = map(int, topology.split("x"))
    (quota,) = quotas_of(config(pools={"tpu": pool})).values()
    assert quota[CHIPS] == rows * columns * slices


def test_queues_that_share_a_tpu_pool_share_its_chips() -> None:
    shares = {"a": {"flavors": {"v6e": {"chips": 32}}}, "b": {"flavors": {"v6e": {}}}}
    values = config(
        queues={
            "flavors": {"v6e": {}},
            "cluster_queues": shares,
            "local_queues": [{"name": "lq", "cluster_queue": "a"}],
        }
    )
    assert [quotas_of(values, it)["v6e"][CHIPS] for it in "ab"] == [32, 0]


def test_by_default_a_flavor_is_that_of_gpus_and_without_any_that_of_tpus() -> None:
    gpus = {"machine_type": "g2-standard-8", "nodes": 1}
    both = validate(config(pools={"a": V6E, "b": gpus})).queues
    alone = validate(config(pools={"a": V6E})).queues
    assert both is not None
    assert alone is not None
    assert (both.default_pool, alone.default_pool) == ("b", "a")


def test_the_lab_gives_out_its_tpu_pool_in_chips_to_one_of_its_teams(register: Register) -> None:
    made = built(register, "lab", keys=("hugging_face_token",))
    chips = {flavor: quota[CHIPS] for flavor, quota in covered(made, "research").items()}
    assert chips == {"cpu": "0", "l4": "0", "h200": "0", "tpu": "4"}
    assert CHIPS not in covered(made, "serving")["l4"]


def test_pods_of_a_flavor_of_tpu_nodes_tolerate_their_taint(register: Register) -> None:
    made = built(register, "lab", keys=("hugging_face_token",))
    spec = made.named("queues-flavor-tpu").inputs["spec"]
    assert spec["tolerations"] == [{"key": CHIPS, "operator": "Exists", "effect": "NoSchedule"}]
    assert "tolerations" not in made.named("queues-flavor-cpu").inputs["spec"]


def test_work_without_accelerators_tries_nodes_without_any_first() -> None:
    flavors = {"a100": {"pool": "gpu"}, "v6e": {"pool": "tpu"}, "zed": {"pool": "cpu"}}
    pools = {
        "cpu": {"machine_type": "e2-standard-8", "nodes": 1},
        "gpu": {"machine_type": "g2-standard-8", "nodes": 1},
        "tpu": V6E,
    }
    values = config(pools=pools, queues={"flavors": flavors})
    assert [*quotas_of(values)] == ["zed", "a100", "v6e"]
    said = changed(values, queues__cluster_queues={"cluster-queue": {"order": ["v6e"]}})
    assert [*quotas_of(said)] == ["v6e", "zed", "a100"]
