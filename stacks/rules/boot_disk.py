"""A node's boot disk: its system, the image that its pods run, and what they write.

Source: GKE documentation, "Plan GKE Standard node sizes". On machines with local SSDs images and
what pods write lie on those.
"""

from collections.abc import Iterator

from stacks.problems import Problem
from stacks.rules.ray_fit import Host

_MIB = 1024
# What the node's own system takes of its boot disk, in GiB, beside a share for images.
_SYSTEM_GIB = 6
_EVICTION_PERCENT = 10


def boot_disk_problems(
    host: Host, disk_gb: int, *, image_gib: int, pods_mib: int, field: str = "cpu_pool"
) -> Iterator[Problem]:
    """The image lies on the same disk as what pods write, and nobody requests room for it."""
    if host.machine.local_ssd is not None:
        return
    needed = _SYSTEM_GIB + image_gib + -(-pods_mib // _MIB)
    if disk_gb * 10**9 / 2**30 * (100 - _EVICTION_PERCENT) / 100 < needed:
        least = -(-needed * 2**30 * 100 // ((100 - _EVICTION_PERCENT) * 10**9))
        yield Problem(
            f"{field}.disk.size_gb",
            f"{disk_gb} GB do not hold the image ({image_gib} GiB) and what pods of a node may "
            f"write; nearest: {least}",
        )
