"""The API server of a simulated cluster: in memory with the nodes that its pools or Autopilot give
it, or a real control plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sandbox.cloud.autopilot import provisioner
from sandbox.cloud.kind import Resource
from sandbox.cloud.lustre_mounts import lustre_mounts
from sandbox.cloud.nodes import nodes_of
from sandbox.kube import MemoryKube

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from sandbox.cloud.cloud import Cloud
    from sandbox.control_plane import ControlPlane
    from sandbox.kube import Node, PodView, QueueView, Readiness, Ref


class Kube(Protocol):
    """What is asked of a cluster, wherever it is."""

    def get(self, ref: Ref) -> dict[str, Any] | None: ...
    def validate(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> object: ...
    def apply(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> object: ...
    def delete(self, ref: Ref) -> None: ...
    def wait_for(self, ref: Ref) -> Readiness: ...
    def health(self, ref: Ref) -> Readiness: ...
    def readiness_on_read(self, ref: Ref) -> Readiness: ...
    def scale(self, ref: Ref, replicas: int) -> None: ...
    def matches_secret(self, manifest: Mapping[str, Any]) -> bool: ...
    def nodes(self) -> list[Node]: ...
    def pods(self) -> list[PodView]: ...
    def queues(self) -> list[QueueView]: ...
    def inventory(self) -> dict[str, list[str]]: ...


def is_live(cluster: Resource, cloud: Cloud) -> bool:
    """Whether the cluster has a real control plane."""
    return bool(cloud.kubernetes(cluster.id).get("control_plane"))


def kubernetes_of(cluster: Resource, cloud: Cloud) -> Kube:
    if is_live(cluster, cloud):
        return _live(cluster, cloud)
    provision = provisioner(cluster, cloud) if cluster["enableAutopilot"] else None
    return MemoryKube(
        cloud.kubernetes(cluster.id),
        nodes_of(cluster, cloud),
        provision,
        ray_addon=has_ray_addon(cluster),
        mounts=lustre_mounts(cluster, cloud),
    )


def control_plane_of(cluster: Resource, cloud: Cloud) -> ControlPlane:
    """The processes behind a cluster that has a real control plane."""
    from sandbox.control_plane import ControlPlane

    return ControlPlane(
        cloud.control_plane_folder(cluster.id),
        cluster=cluster.id,
        cloud_file=cloud.path,
    )


def _live(cluster: Resource, cloud: Cloud) -> Kube:
    from sandbox.live_kube.live_kube import LiveKube

    if cluster.id not in cloud.live_clusters:
        plane = control_plane_of(cluster, cloud)
        cloud.live_clusters[cluster.id] = LiveKube(plane, ray_addon=has_ray_addon(cluster))
    return cloud.live_clusters[cluster.id]


def has_ray_addon(cluster: Resource) -> bool:
    configs = (cluster["addonsConfig"] or {}).get("rayOperatorConfigs") or []
    return any(one.get("enabled") for one in configs)
