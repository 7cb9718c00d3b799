"""What a pod may write to its node's disk, against what it is known to write."""

from stacks.parts.pools.pod_rules import pod_disk_problems
from stacks.parts.ray.config import PodSizes
from stacks.types import Resources


def pod(storage_gib: int | None, limit_gib: int | None = None) -> PodSizes:
    asked = Resources(cpu=1, memory_gib=4, ephemeral_storage_gib=storage_gib)
    if limit_gib is None:
        return PodSizes(requests=asked)
    limits = Resources(cpu=1, memory_gib=4, ephemeral_storage_gib=limit_gib)
    return PodSizes(requests=asked, limits=limits)


def problems(
    wanted: PodSizes,
    *,
    sidecar_gib: int | None = None,
    cache_mib: int = 0,
    written_gib: int = 13,
    autopilot: bool = False,
) -> list[tuple[str, str]]:
    found = pod_disk_problems(
        "ray.worker",
        wanted,
        sidecar_gib=sidecar_gib,
        cache_mib=cache_mib,
        written_gib=written_gib,
        autopilot=autopilot,
    )
    return [(one.field, one.message.rpartition(" ")[2]) for one in found]


def test_a_pod_without_a_limit_is_not_left_the_sidecars_alone() -> None:
    told = [("ray.worker.requests.ephemeral_storage_gib", "13")]
    assert problems(pod(None)) == told
    assert problems(pod(None), sidecar_gib=10) == told


def test_autopilot_gives_one_that_asks_for_none_a_limit() -> None:
    assert problems(pod(None), written_gib=1, autopilot=True) == []
    assert problems(pod(None), written_gib=2, autopilot=True) != []


def test_where_no_container_has_a_limit_nothing_is_added_up() -> None:
    assert problems(pod(None), sidecar_gib=0) == []


def test_a_limit_holds_what_the_pod_is_known_to_write() -> None:
    assert problems(pod(12)) == [("ray.worker.requests.ephemeral_storage_gib", "13")]
    assert problems(pod(13)) == []
    assert problems(pod(5, 12)) == [("ray.worker.limits.ephemeral_storage_gib", "13")]
    assert problems(pod(5, 13)) == []


def test_a_cache_is_not_written_at_the_cost_of_the_pods_own_limit() -> None:
    assert problems(pod(20), sidecar_gib=0, cache_mib=-1) == [("bucket.mount.file_cache_mib", "0")]
    assert problems(pod(20), sidecar_gib=0) == []
    assert problems(pod(20), sidecar_gib=10, cache_mib=64) == []
