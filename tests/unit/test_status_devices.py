"""What nodes offer, where pods claim it."""

from aistack.status.readiness import State, readiness
from kube.kinds import NODE, RESOURCE_SLICE
from tests.unit.status_samples import node, obj, pool, snapshot


def test_gpus_that_pods_claim_are_offered_by_slices() -> None:
    given = obj("slice", spec={"driver": "gpu.nvidia.com", "nodeName": "a", "devices": [{}] * 8})
    seen = {NODE: [node("a", {"nvidia.com/gpu": "0"})], RESOURCE_SLICE: [given]}
    found = {it.area: it.state for it in readiness(snapshot(pool(), seen=seen))}
    assert found["devices"] is State.READY
