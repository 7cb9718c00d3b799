"""Steps in a simulated project, each the name of what it makes, with inputs where the usual ones of
`simulated_project` are not meant. What a step needs and no earlier one made is made before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Resource
from tests.unit.simulated_project import (
    ACCOUNT,
    ADDRESS,
    APIS,
    BUCKET,
    BUCKET_MEMBER,
    DISK_IMAGE,
    FIREWALL,
    MEMBER,
    NAT,
    REPOSITORY,
    ROUTER,
    SERVICE,
    Project,
)

Step = str | dict[str, Any]
_HUB = {"dockerRepository": {"publicRepository": "DOCKER_HUB"}}
_READER = {"role": "roles/artifactregistry.reader", "member": "serviceAccount:$account"}
_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
_SHAPE = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x4"}
_REPOSITORY_MEMBER = "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"
_ALLOWED = {"allows": [{"protocol": "tcp"}], "sourceRanges": ["10.0.0.0/8"]}
# What has no way of its own in `Project`: its token, and what it has unless told otherwise.
_PLAIN: dict[str, tuple[str, dict[str, Any]]] = {
    "account": (ACCOUNT, {"accountId": "trainer"}),
    "binding": (BUCKET_MEMBER, {"bucket": "runs", "role": "roles/storage.objectUser"}),
    "bucket": (BUCKET, {"name": "runs", "location": "US-EAST1"}),
    "firewall": (FIREWALL, {"name": "internal", "network": "$network", **_ALLOWED}),
    "image": (DISK_IMAGE, {"name": "trainer"}),
    "member": (MEMBER, {}),
    "nat": (NAT, {"name": "nat", "router": "router", "region": "us-east1"}),
    "policy": (_POLICY, {"name": "slices", "region": "us-central1", "workloadPolicy": _SHAPE}),
    "reader": (_REPOSITORY_MEMBER, {"repository": "hub", "location": "us-east1", **_READER}),
    "repository": (
        REPOSITORY,
        {
            "repositoryId": "hub",
            "location": "us-east1",
            "format": "DOCKER",
            "mode": "REMOTE_REPOSITORY",
            "remoteRepositoryConfig": _HUB,
        },
    ),
    "service": (SERVICE, {"service": "storage.googleapis.com"}),
    "router": (ROUTER, {"name": "router", "region": "us-east1", "network": "$network"}),
}
_NETWORKS = ("network", "roce")
_OF_SLICES = {
    "location": "us-central1-b",
    "nodeLocations": None,
    "datapathProvider": "ADVANCED_DATAPATH",
}
_SLICE: dict[str, Any] = {
    "machine": "ct6e-standard-4t",
    "initialNodeCount": None,
    "nodeCount": 4,
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
}
_SPECIFIC = {
    "consumeReservationType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
}
_MULTI = {"enableMultiNetworking": True, "datapathProvider": "ADVANCED_DATAPATH"}


def _interfaces(word: str) -> list[dict[str, str]]:
    if "/" in word:
        places = [tuple(word.split("/"))]
    else:
        places = [("gvnic", "gvnic-1") if it == "g" else ("rdma", f"rdma-{it}") for it in word]
    return [{"network": network, "subnetwork": subnet} for network, subnet in places]


class Steps:
    """The first step may say what is `given` from the start, or the `only` services there are."""

    def __init__(self, path: Path, steps: list[Step]) -> None:
        first = steps[0] if isinstance(steps[0], dict) else {}
        given, only = first.get("given"), first.get("only")
        reservations = None if given is None else Reservations.model_validate(given)
        self._project = Project(path, reservations=reservations)
        self._made: dict[str, Resource] = {}
        self._network = ""
        self._project.enable(*([*APIS, "storage", "artifactregistry"] if only is None else only))
        self.steps = steps[1:] if first.keys() & {"given", "only"} else steps

    def do(self, steps: list[Step]) -> None:
        for step in steps:
            ((name, inputs),) = step.items() if isinstance(step, dict) else [(step, {})]
            self._do(name, inputs)

    def _do(self, name: str, inputs: Any) -> None:
        cloud = self._project.cloud
        if name == "delete":
            return self._project.delete(self._made[inputs])
        if name == "update":
            changes = dict(inputs)
            of = changes.pop("of")
            old = self._made[of]
            news = {**old.inputs, **self._filled(changes)}
            self._made[of] = cloud.update(old.token, old.id, news)
            return None
        self._made[name] = self._make(name, inputs)
        if name in _NETWORKS:
            self._network = name
        if name == "peer":
            self._made["address"] = next(cloud.find(ADDRESS))
        return None

    def _make(self, name: str, inputs: dict[str, Any]) -> Resource:
        project = self._project
        if name in _PLAIN:
            token, usual = _PLAIN[name]
            if "$network" in usual.values():
                self._on_network()
            return project.make(token, **self._filled({**usual, **inputs}))
        ways: dict[str, Callable[..., Resource]] = {
            "network": project.network,
            "roce": project.roce_network,
            "cluster": self._cluster,
            "pool": self._pool,
            "a4": self._a4,
            "slice": self._slice,
            "ports": self._ports,
        }
        if name in ways:
            return ways[name](**inputs)
        on_network: dict[str, Callable[..., Resource]] = {
            "subnet": project.subnet,
            "peer": project.peer,
            "lustre": project.lustre,
            "redis": project.redis,
        }
        return on_network[name](self._on_network(), **self._filled(inputs))

    def _a4(self, **inputs: Any) -> Resource:
        if "cluster" not in self._made:
            self._do("cluster", {"at": "us-central1-b"})
        return self._pool("a4-highgpu-8g", **inputs)

    def _slice(self, **inputs: Any) -> Resource:
        if "cluster" not in self._made:
            self._do("subnet", {"region": "us-central1"})
            self._do("cluster", _OF_SLICES)
        return self._pool(**{**_SLICE, **inputs})

    def _on_network(self) -> Resource:
        if not self._network:
            self._do("network", {})
        return self._made[self._network]

    def _cluster(self, at: str = "", *, multi: bool = False, **inputs: Any) -> Resource:
        """In one zone `at`."""
        place = {"location": at.rpartition("-")[0], "nodeLocations": [at]} if at else {}
        network = self._on_network()
        if "subnet" not in self._made:
            self._do("subnet", {"region": place["location"]} if at else {})
        own = {**place, **(_MULTI if multi else {}), **inputs}
        return self._project.cluster(network, self._made["subnet"], **own)

    def _pool(
        self,
        machine: str = "e2-standard-4",
        node: dict[str, Any] | None = None,
        ports: str | list[str] = "",
        reserved: str = "",
        **inputs: Any,
    ) -> Resource:
        """`ports` are those of `_ports`: g, and the number of each on RDMA; or in a list others,
        too, each as NETWORK/SUBNETWORK."""
        if "cluster" not in self._made:
            self._do("cluster", {})
        if ports:
            words = [ports] if isinstance(ports, str) else ports
            networks = [it for word in words for it in _interfaces(word)]
            own = {**inputs.get("networkConfig", {}), "additionalNodeNetworkConfigs": networks}
            inputs["networkConfig"] = own
        config = {"machineType": machine, **(node or {})}
        if reserved:
            config["reservationAffinity"] = {**_SPECIFIC, "values": [reserved]}
        return self._project.pool(
            self._made["cluster"], machine, nodeConfig=config, **self._filled(inputs)
        )

    def _ports(self, prefix: int = 24) -> Resource:
        """One gVNIC network and eight subnets of a RoCE network, in the order of an A4."""
        project = self._project
        gvnic, rdma = project.network(name="gvnic"), project.roce_network()
        project.plain_subnet(gvnic, "gvnic-1", f"10.20.0.0/{prefix}")
        for number in range(8):
            project.plain_subnet(rdma, f"rdma-{number}", f"192.168.{number}.0/{prefix}")
        return rdma

    def _filled(self, value: Any) -> Any:
        """With `$name` for the ID of what a step made, and of an account for its e-mail."""
        if isinstance(value, dict):
            return {key: self._filled(it) for key, it in value.items()}
        if isinstance(value, list):
            return [self._filled(it) for it in value]
        if not isinstance(value, str) or "$" not in value:
            return value
        head, _, name = value.partition("$")
        made = self._made[self._network if name == "network" else name]
        return head + (made.outputs["email"] if name == "account" else made.id)
