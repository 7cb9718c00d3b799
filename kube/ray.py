"""What KubeRay reads in a RayCluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.ray.manifest import token_secret_name
from kube.objects import dig, name_of


def asks_for_token(spec: Mapping[str, Any]) -> bool:
    """As IsAuthEnabled in ray-operator/controllers/ray/utils/util.go, v1.6.2: without a mode it is
    off, whatever the field's documentation says."""
    return dig(spec, "authOptions", "mode") == "token"


def asks_for_kubernetes_token(spec: Mapping[str, Any]) -> bool:
    """One that the API server judges, in place of one that is in a Secret."""
    return asks_for_token(spec) and bool(dig(spec, "authOptions", "enableK8sTokenAuth"))


def token_secret(cluster: Mapping[str, Any]) -> str | None:
    """The Secret with the token, in the cluster's namespace; None where no Secret has one. A
    cluster may name any text for one."""
    spec = cluster.get("spec") or {}
    if not asks_for_token(spec) or asks_for_kubernetes_token(spec):
        return None
    return dig(spec, "authOptions", "secretName") or token_secret_name(name_of(cluster))
