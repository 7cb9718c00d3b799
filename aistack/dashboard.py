"""Where a Ray cluster has its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.find import Found, find_job
from aistack.listing import list_jobs
from aistack.members import members_of
from aistack.offered import offered
from aistack.ray_token import token_command
from aistack.service import Door, find_service
from kube.kinds import RAY_CLUSTER
from kube.objects import JsonObject, dig, namespace_of

# ray-project/kuberay v1.6.2 ray-operator/controllers/ray/utils/constant.go.
_PORT = "dashboard"


@dataclass(frozen=True)
class RayPage:
    """`token_command` prints the token that the page asks for; None where it asks for none."""

    door: Door
    token_command: str | None


def ray_dashboard(cluster: Cluster, namespaces: Sequence[str], asked: str | None) -> RayPage:
    """Raises VerbError where there is none, or several and none is named."""
    found = find_job(cluster, namespaces, asked or _only(cluster, namespaces))
    ray = _ray_cluster(cluster, found)
    service = dig(ray, "status", "head", "serviceName")
    if ray is None or not service:
        raise VerbError(
            f"{found.job.name} has no Ray cluster that is up; "
            f"nearest: `{offered('why', found.job.name)}`"
        )
    place = namespace_of(ray)
    door = find_service(cluster, [place], f"{place}/{service}:{_PORT}")
    return RayPage(door, token_command(ray))


def _only(cluster: Cluster, namespaces: Sequence[str]) -> str:
    jobs = list_jobs(cluster, namespaces).jobs
    names = [f"{it.namespace}/{it.kind}/{it.name}" for it in jobs if it.kind == RAY_CLUSTER.name]
    if len(names) != 1:
        offer = ", ".join(names) or "none, there are no Ray clusters"
        raise VerbError(f"NAME: which Ray cluster is meant? There are: {offer}", ExitCode.NOT_FOUND)
    return names[0]


def _ray_cluster(cluster: Cluster, found: Found) -> JsonObject | None:
    if found.kind == RAY_CLUSTER:
        return found.obj
    made = members_of(cluster, found).made
    return next((it for kind, it in made if kind == RAY_CLUSTER), None)
