"""The API servers of simulated clusters: in memory with the nodes that pools or Autopilot give
them, or real control planes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sandbox.cloud.kinds.cluster import Cluster, has_ray_addon
from sandbox.gke.autopilot import provisioner
from sandbox.gke.lustre_mounts import lustre_mounts
from sandbox.gke.nodes import nodes_of
from sandbox.memory_kube.memory import MemoryKube

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path
    from typing import Any

    from kube.objects import Node, PodView, Readiness, Ref
    from sandbox.cloud.cloud import Cloud
    from sandbox.cloud.resource import Resource
    from sandbox.control_plane import ControlPlane
    from sandbox.kube.queue_view import QueueView
    from sandbox.live_kube.live_kube import LiveKube


class Kube(Protocol):
    """What is asked of a cluster, wherever it is."""

    def get(self, ref: Ref) -> dict[str, Any] | None: ...
    def validate(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> object: ...
    def apply(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> object: ...
    def begin_delete(self, ref: Ref) -> None: ...
    def delete(self, ref: Ref) -> None: ...
    def named(self, api_version: str, kind: str, name: str) -> list[Ref]: ...
    def listed(self, api_version: str, kind: str) -> list[dict[str, Any]]: ...
    def finalized(self) -> list[dict[str, Any]]: ...
    def set_status(self, ref: Ref, status: Mapping[str, Any]) -> None: ...
    def wait_for(self, ref: Ref) -> Readiness: ...
    def health(self, ref: Ref) -> Readiness: ...
    def readiness_on_read(self, ref: Ref) -> Readiness: ...
    def matches_secret(self, manifest: Mapping[str, Any]) -> bool: ...
    def nodes(self) -> list[Node]: ...
    def pods(self) -> list[PodView]: ...
    def queues(self) -> list[QueueView]: ...
    def inventory(self) -> dict[str, list[str]]: ...


class Clusters:
    """Those of the cloud in one file; real control planes live beside it."""

    def __init__(self, cloud: Cloud, cloud_file: Path) -> None:
        self.cloud = cloud
        self._cloud_file = cloud_file
        self._live: dict[Path, LiveKube] = {}

    def is_live(self, cluster: Resource) -> bool:
        """Whether the cluster has a real control plane."""
        return bool(self.cloud.kubernetes(cluster.id).get("control_plane"))

    def kube(self, cluster: Resource) -> Kube:
        if not self.is_live(cluster):
            return in_memory(cluster, self.cloud)
        folder = self._folder(cluster)
        if folder not in self._live:
            from sandbox.live_kube.live_kube import LiveKube

            plane = self.control_plane(cluster)
            self._live[folder] = LiveKube(plane, ray_addon=has_ray_addon(cluster))
        return self._live[folder]

    def control_plane(self, cluster: Resource) -> ControlPlane:
        """The processes behind a cluster that has a real control plane."""
        from sandbox.control_plane import ControlPlane

        folder = self._folder(cluster)
        return ControlPlane(folder, cluster=cluster.id, cloud_file=self._cloud_file)

    def settle(self) -> None:
        """Let the controllers of clusters in memory find the nodes that there are now; those of a
        real control plane watch them."""
        for cluster in self.cloud.find(Cluster.token):
            if not self.is_live(cluster):
                in_memory(cluster, self.cloud)
        self.cloud.save()

    def sweep(self) -> None:
        """End the control planes of clusters that are gone."""
        there = {self._folder(it) for it in self.cloud.find(Cluster.token)}
        if gone := [it for it in self._root.glob("*") if it.is_dir() and it not in there]:
            from sandbox.control_plane import ControlPlane

            for folder in gone:
                self._live.pop(folder, None)
                ControlPlane(folder).remove()

    @property
    def _root(self) -> Path:
        return self._cloud_file.parent / "kube"

    def _folder(self, cluster: Resource) -> Path:
        _, _, _, location, _, name = cluster.id.split("/")
        return self._root / f"{location}-{name}"


def in_memory(cluster: Resource, cloud: Cloud) -> MemoryKube:
    return MemoryKube(
        cloud.kubernetes(cluster.id),
        nodes_of(cluster, cloud),
        provisioner(cluster, cloud) if cluster["enableAutopilot"] else None,
        ray_addon=has_ray_addon(cluster),
        mounts=lustre_mounts(cluster, cloud),
    )
