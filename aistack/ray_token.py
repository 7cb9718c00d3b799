"""The token that a Ray cluster asks its clients for, from the Secret that KubeRay keeps it in.

Source of the Secret's key: ray-project/kuberay v1.6.2 ray-operator/controllers/ray/utils:
constant.go, RAY_AUTH_TOKEN_SECRET_KEY. KubeRay has tokens since 1.5.1, Ray since 2.52.0; without
`authOptions` no cluster asks for one.
"""

from __future__ import annotations

import base64
import binascii
import re

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.offered import kubectl
from components.ray import manifest as manifest
from components.ray.manifest import TOKEN_KEY
from kube.kinds import SECRET
from kube.objects import JsonObject, dig, name_of, namespace_of
from kube.ray import asks_for_kubernetes_token, token_secret

# RFC 9110, section 5.5: what a header carries as it is.
_SENDABLE = re.compile(r"[!-~]+")


def ray_token(cluster: Cluster, ray: JsonObject) -> str | None:
    """None where Ray asks for none. Raises VerbError where it does, and the user has no token."""
    if asks_for_kubernetes_token(ray.get("spec") or {}):
        raise VerbError(
            f"RayCluster {name_of(ray)}: it asks for a token of Kubernetes, which aistack does not "
            "bring; nearest: spec.authOptions without enableK8sTokenAuth"
        )
    name = token_secret(ray)
    if name is None:
        return None
    where = f"{namespace_of(ray)}/{name}"
    try:
        secret = cluster.get(SECRET, namespace_of(ray), name)
    except ForbiddenError:
        raise ForbiddenError(
            f"RayCluster {name_of(ray)}: it asks for the token in Secret {where}, which you may "
            "not read; nearest: somebody with the role edit there"
        ) from None
    value = None if secret is None else dig(secret, "data", TOKEN_KEY)
    if not value:
        own = ("--namespace", namespace_of(ray))
        raise VerbError(
            f"RayCluster {name_of(ray)}: it asks for the token in Secret {where}, which has none "
            f"as {TOKEN_KEY}; nearest: `{kubectl('describe', 'raycluster', name_of(ray), *own)}`"
        )
    token = _decoded(value)
    if not _SENDABLE.fullmatch(token):
        raise VerbError(
            f"RayCluster {name_of(ray)}: what Secret {where} has as {TOKEN_KEY} is no token that a "
            "request can carry; nearest: printable characters without a space"
        )
    return token


def _decoded(value: str) -> str:
    """A Secret that somebody made has any bytes, often with the end of a line."""
    try:
        return base64.b64decode(value).decode(errors="replace").strip()
    except binascii.Error:
        return ""


def token_command(ray: JsonObject) -> str | None:
    """The command that prints the token of a cluster which asks for one in a Secret."""
    name = token_secret(ray)
    return None if name is None else manifest.token_command(name, namespace_of(ray), kubectl())
