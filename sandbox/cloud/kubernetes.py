"""The API server of a simulated cluster, with the nodes that its pools or Autopilot give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.cloud.autopilot import provisioner
from sandbox.cloud.kind import Resource
from sandbox.cloud.nodes import nodes_of
from sandbox.kube import MemoryKube

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud


def kubernetes_of(cluster: Resource, cloud: Cloud) -> MemoryKube:
    provision = provisioner(cluster, cloud) if cluster["enableAutopilot"] else None
    return MemoryKube(
        cloud.kubernetes(cluster.id),
        nodes_of(cluster, cloud),
        provision,
        ray_addon=_has_ray_addon(cluster),
    )


def _has_ray_addon(cluster: Resource) -> bool:
    configs = (cluster["addonsConfig"] or {}).get("rayOperatorConfigs") or []
    return any(one.get("enabled") for one in configs)
