"""Which NVIDIA driver GKE installs on a node, and which one a program needs.

A driver is named by its branch, the number before the first dot: 580 of 580.65.06.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Self

from pydantic import PositiveInt, model_validator

from .gke_version import GkeVersion, MinorName
from .image_name import ImageName
from .table import Fact, Table
from .versions import GpuDriver

# The CUDA that a tag names: `nvidia/cuda:13.0.1-devel`, `2.9.1-cuda13.0-cudnn9`, `2.54.0-cu129`.
_RELEASE = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")
_CUDA_IN_TAG = re.compile(r"cuda[:_-]?(?P<long>\d{2})\.\d|(?<![a-z])cu(?P<short>\d{2})\d(?!\d)")


class InstalledDrivers(Fact):
    """What GKE's two words stand for in one of its minors."""

    default: PositiveInt
    latest: PositiveInt


class GpuDriverTable(Table):
    gke: dict[MinorName, InstalledDrivers]
    cuda: dict[PositiveInt, PositiveInt]
    cuda_source: str
    accelerators: dict[str, PositiveInt]
    accelerators_source: str

    @model_validator(mode="after")
    def _rises(self) -> Self:
        rows = [self.gke[f"{it.major}.{it.minor}"] for it in self._minors()]
        for before, after in pairwise(rows):
            if after.default < before.default or after.latest < before.latest:
                raise ValueError("a newer GKE has an older driver, so the last row bounds nothing")
        return self

    def least_installed(
        self, driver: GpuDriver, version: GkeVersion | None, accelerator: str
    ) -> int | None:
        """The branch that GKE installs, or an older one that it certainly is not older than; None
        where GKE installs none. Without a version GKE is the newest of the table, or newer."""
        if not driver.is_gkes:
            return None
        minors = self._minors()
        rows = [it for it in minors if version is None or version.meets(it)] or minors[:1]
        row = self.gke[f"{rows[-1].major}.{rows[-1].minor}"]
        installed = row.default if driver is GpuDriver.DEFAULT else row.latest
        return max(installed, self.accelerators.get(accelerator, 0))

    def needed(self, cuda: int) -> int | None:
        """The oldest branch that runs programs of a CUDA major; None where nobody has said."""
        return self.cuda.get(cuda)

    def _minors(self) -> list[GkeVersion]:
        return sorted(map(GkeVersion.parse, self.gke))


def is_newer(reference: str, known: str) -> bool:
    """Whether an image is a later release of another by its name: of a repository of that name,
    with a version as its tag."""
    one, other = ImageName.parse(reference), ImageName.parse(known)
    same = one.repository == other.repository or one.repository.endswith(f"/{other.repository}")
    release, before = _RELEASE.fullmatch(one.tag), _RELEASE.fullmatch(other.tag)
    if not same or release is None or before is None:
        return False
    return [*map(int, release.groups())] > [*map(int, before.groups())]


def cuda_in_tag(reference: str) -> int | None:
    """The CUDA major that an image's reference names, if it names one."""
    found = _CUDA_IN_TAG.search(reference.partition("@")[0].rpartition("/")[2])
    return None if found is None else int(found["long"] or found["short"])
