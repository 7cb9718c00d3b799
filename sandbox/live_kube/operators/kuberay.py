"""What the KubeRay operator needs in a cluster: its kinds, its account and its permissions."""

from __future__ import annotations

from pathlib import Path

from kube.objects import JsonObject
from sandbox.live_kube.operators.kustomization import customized
from sandbox.live_kube.operators.rbac import installed


def ray_objects(manifests: Path, namespace: str) -> list[JsonObject]:
    """In the order in which they are made. The operator is to act as the ServiceAccount
    `kuberay-operator` of the namespace."""
    folder = manifests / "kuberay"
    return [*customized(folder / "crd"), *installed(customized(folder / "rbac"), namespace)]
