"""The value types at the edge of the in-memory Kubernetes API, and small readers of manifests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

JsonObject = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Taint:
    key: str
    value: str = ""
    effect: str = "NoSchedule"


@dataclass(frozen=True, kw_only=True)
class Node:
    """One simulated machine. `allocatable` holds Kubernetes quantities; a node without `pods`
    takes 110, and one without `ephemeral-storage` is not limited in it. `networks` are the short
    names of (VPC, subnetwork) of its additional network interfaces, one entry an interface.
    `devices` are how many of each device class pods can claim. `driver` is the branch of NVIDIA's
    driver that GKE installs, 0 where it installs none. One that `comes` is there once a pod wants
    it."""

    name: str
    pool: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, str] = field(default_factory=dict[str, str])
    networks: tuple[tuple[str, str], ...] = ()
    devices: Mapping[str, int] = field(default_factory=dict[str, int])
    driver: int = 0
    comes: bool = False


@dataclass(frozen=True, kw_only=True)
class DeviceRequest:
    """Devices of one class that a pod claims of its node; `count` None: all that the node has."""

    device_class: str
    count: int | None


class Provision(Protocol):
    """Autopilot's answer to a pod that has no node (its manifest after GKE's webhooks): the node
    that it would make, whose name is not used, or the reason why it makes none."""

    def __call__(self, pod: Mapping[str, Any], /) -> Node | str: ...


class Mounts(Protocol):
    """Says why the storage behind a PersistentVolume's `csi` source does not answer the nodes;
    empty where it does."""

    def __call__(self, csi: Mapping[str, Any], /) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Ref:
    api_version: str
    kind: str
    namespace: str = ""
    name: str

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Ref:
        metadata = manifest.get("metadata") or {}
        return cls(
            api_version=manifest["apiVersion"],
            kind=manifest["kind"],
            namespace=metadata.get("namespace") or "",
            name=metadata["name"],
        )

    @property
    def key(self) -> str:
        return f"{self.api_version}|{self.kind}|{self.namespace}|{self.name}"

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}"


@dataclass(frozen=True, kw_only=True)
class Readiness:
    ready: bool
    reason: str


@dataclass(frozen=True, kw_only=True)
class PodView:
    name: str
    namespace: str
    owner: str
    phase: str
    node: str
    reason: str


def dig(obj: Any, *path: str) -> Any:
    """The value at `path`, or None where anything on the way is missing or null."""
    for step in path:
        if not isinstance(obj, Mapping):
            return None
        obj = obj.get(step)
    return obj


def normalized(value: Any) -> Any:
    """A deep copy without null fields, which to an API server are absent, and with whole numbers as
    integers: protobuf, and so Pulumi, sends every number as a float."""
    if isinstance(value, Mapping):
        return {k: normalized(item) for k, item in value.items() if item is not None}
    if isinstance(value, list):
        return [normalized(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def maps(value: Any) -> list[JsonObject]:
    """The objects of a list field that may be missing or null."""
    return [item for item in value or [] if isinstance(item, dict)]


def name_of(obj: Mapping[str, Any]) -> str:
    return obj["metadata"]["name"]


def namespace_of(obj: Mapping[str, Any]) -> str:
    return obj["metadata"].get("namespace") or ""


def labels_of(obj: Mapping[str, Any]) -> dict[str, str]:
    return dig(obj, "metadata", "labels") or {}


def annotations_of(obj: Mapping[str, Any]) -> dict[str, str]:
    return dig(obj, "metadata", "annotations") or {}


def matches_labels(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """A LabelSelector (matchLabels, matchExpressions) against labels; None selects nothing."""
    if selector is None:
        return False
    wanted = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(matches_expression(e, labels) for e in maps(selector.get("matchExpressions")))


def matches_expression(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator = expression["key"], expression["operator"]
    values = expression.get("values") or []
    present = key in labels
    match operator:
        case "In":
            return present and labels[key] in values
        case "NotIn":
            return not present or labels[key] not in values
        case "Exists":
            return present
        case "DoesNotExist":
            return not present
        case "Gt" | "Lt":
            try:
                have, limit = int(labels[key]), int(values[0])
            except (KeyError, IndexError, ValueError):
                return False
            return have > limit if operator == "Gt" else have < limit
        case _:
            return False


def pod_templates(manifest: Mapping[str, Any]) -> Iterator[tuple[str, JsonObject]]:
    """Every pod template in a manifest (its metadata and spec), with its property path."""
    kind, spec = manifest["kind"], manifest.get("spec") or {}
    if kind == "Pod":
        yield "", dict(manifest)
    elif kind == "PodTemplate":
        yield "template", manifest.get("template") or {}
    elif kind in ("Deployment", "DaemonSet", "Job"):
        if isinstance(template := spec.get("template"), dict):
            yield "spec.template", template
    elif kind == "RayCluster":
        yield from _ray_templates(spec, "spec")
    elif kind == "RayJob":
        if isinstance(template := spec.get("submitterPodTemplate"), dict):
            yield "spec.submitterPodTemplate", template
        yield from _ray_templates(spec.get("rayClusterSpec") or {}, "spec.rayClusterSpec")


def _ray_templates(spec: Any, path: str) -> Iterator[tuple[str, JsonObject]]:
    if isinstance(head := dig(spec, "headGroupSpec", "template"), dict):
        yield f"{path}.headGroupSpec.template", head
    groups = spec.get("workerGroupSpecs") if isinstance(spec, Mapping) else None
    for index, group in enumerate(maps(groups if isinstance(groups, list) else [])):
        if isinstance(template := group.get("template"), dict):
            yield f"{path}.workerGroupSpecs[{index}].template", template
