"""A service of the stack, and the pods behind it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, LostError, VerbError
from aistack.exit_codes import ExitCode
from aistack.why.snapshot import is_ready
from kube.kinds import POD, SERVICE
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from kube.reading import read_whole, whole


@dataclass(frozen=True)
class Door:
    """A port of a service."""

    service: JsonObject
    port: JsonObject

    @property
    def number(self) -> int:
        return whole(self.port["port"])

    @property
    def namespace(self) -> str:
        return namespace_of(self.service)

    def __str__(self) -> str:
        return f"{self.namespace}/{name_of(self.service)}:{self.number}"

    def pods(self, cluster: Cluster) -> list[JsonObject]:
        selector = ",".join(f"{key}={it}" for key, it in self.service["spec"]["selector"].items())
        return sorted(cluster.pages(POD, self.namespace, labels=selector), key=name_of)

    def behind(self, cluster: Cluster) -> tuple[str, int]:
        """A pod that is ready, and its port. Raises LostError where none is, for one may come."""
        for pod in self.pods(cluster):
            if is_ready(pod) and dig(pod, "status", "phase") == "Running":
                return name_of(pod), _port_of(pod, self.port)
        raise LostError(f"no pod of {self} is ready")


def find_service(cluster: Cluster, namespaces: Sequence[str], asked: str) -> Door:
    """`asked` is [NAMESPACE/]NAME[:PORT], a port by its number or name. Raises VerbError."""
    path, _, port = asked.partition(":")
    namespace, _, name = path.rpartition("/")
    places = [it for it in namespaces if namespace in ("", it)]
    found = [it for place in places for it in _services(cluster, place)]
    meant = [it for it in found if name_of(it) == name]
    if len(meant) > 1:
        all_ = ", ".join(f"{namespace_of(it)}/{name}" for it in meant)
        raise VerbError(f'NAME: "{asked}" is the name of several: {all_}', ExitCode.NOT_FOUND)
    if not meant:
        known = sorted({name_of(it) for it in found})
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known
        offer = ", ".join(near) or "none, there are no services"
        raise VerbError(
            f'NAME: "{asked}": there is no such service; nearest: {offer}', ExitCode.NOT_FOUND
        )
    return _door(meant[0], port)


def _door(service: JsonObject, asked: str) -> Door:
    ports = maps(dig(service, "spec", "ports"))
    for it in ports:
        if asked in ("", str(it["port"]), it.get("name")):
            return Door(service, it)
    offer = ", ".join(str(it["port"]) for it in ports) or "none"
    said = f"{name_of(service)}:{asked}"
    raise VerbError(f'NAME: "{said}": there is no such port; nearest: {offer}', ExitCode.NOT_FOUND)


def _services(cluster: Cluster, namespace: str) -> list[JsonObject]:
    """Those that lead to pods and that the user may see."""
    try:
        found = cluster.pages(SERVICE, namespace)
        return [it for it in found if dig(it, "spec", "selector")]
    except ForbiddenError:
        return []


def _port_of(pod: JsonObject, port: JsonObject) -> int:
    """A service may name a port of its pods' containers."""
    target = port.get("targetPort") or port["port"]
    for container in pod["spec"]["containers"]:
        for it in maps(container.get("ports")):
            if it.get("name") == target:
                return whole(it["containerPort"])
    number = read_whole(target)
    if number is None:
        # Another pod may come that has it.
        raise LostError(f"pod {name_of(pod)} has no port that is called {target}")
    return number
