"""What `make bench` measures of a real control plane: how fast it starts and what it takes."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.measure import timed
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.control_plane import ControlPlane
from sandbox.forget import forget
from sandbox.workspace import Workspace

# It has both operators, Kueue and KubeRay.
_STACK = "dev"


@dataclass(frozen=True)
class ControlPlaneFigures:
    """Seconds of the first start of a cluster and of the next one after a stop; MiB of all its
    programs, empty and with both operators and a stack."""

    first_s: float
    again_s: float
    empty_mib: float
    used_mib: float


def control_plane_figures() -> ControlPlaneFigures:
    """With the programs in the page cache."""
    with tempfile.TemporaryDirectory() as scratch:
        warm, plane = ControlPlane(Path(scratch) / "warm"), ControlPlane(Path(scratch) / "plane")
        try:
            _start(warm)
            warm.remove()
            first = _start(plane)
            plane.stop()
            again, empty = _start(plane), _mib(plane)
        finally:
            warm.remove()
            plane.remove()
        return ControlPlaneFigures(first, again, empty, _used_mib(Path(scratch) / "sandbox"))


def _start(plane: ControlPlane) -> float:
    began = time.monotonic()
    plane.start()
    return time.monotonic() - began


def _mib(plane: ControlPlane) -> float:
    return sum(each.rss_mib for each in plane.status())


def _used_mib(folder: Path) -> float:
    where = ["--stack", _STACK, "--folder", str(folder)]
    workspace = Workspace(folder, _STACK)
    try:
        timed([sys.executable, "-m", "sandbox", "up", *where, "--kube", "real"])
        clusters = Clusters(workspace.cloud(), workspace.cloud_file)
        found = clusters.cloud.find(Cluster.token)
        return sum(_mib(clusters.control_plane(each)) for each in found)
    finally:
        forget(Workspace(folder, ""))
