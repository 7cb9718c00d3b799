"""Containers that have keys of Secrets as variables, and since when. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from aistack.status.holdings import workload_of
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from kube.reading import moment
from stacks.secret_readers import keys_read


@dataclass(frozen=True, order=True, kw_only=True)
class Reader:
    """A container that runs `since` then and has a `key` of a Secret as a variable; an empty one
    is every key. `token` is the kind of what its pod is of, as the engine has it."""

    namespace: str
    secret: str
    token: str
    workload: str
    pod: str
    key: str
    since: datetime


def readers(pods: Iterable[JsonObject]) -> Sequence[Reader]:
    return [it for pod in pods for it in _readers(pod)]


def _readers(pod: JsonObject) -> Iterator[Reader]:
    spec, status = pod["spec"], pod.get("status") or {}
    running = {
        one["name"]: since
        for each in ("initContainerStatuses", "containerStatuses")
        for one in maps(status.get(each))
        if (since := dig(one, "state", "running", "startedAt"))
    }
    token, workload = workload_of(pod)
    for container in (*maps(spec.get("initContainers")), *maps(spec.get("containers"))):
        since = running.get(container["name"])
        if since is None:
            continue
        for secret, key in keys_read([container.get("env"), container.get("envFrom")]):
            yield Reader(
                namespace=namespace_of(pod),
                secret=secret,
                token=token,
                workload=workload,
                pod=name_of(pod),
                key=key or "",
                since=moment(since),
            )
