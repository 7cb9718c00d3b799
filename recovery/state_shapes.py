"""Whether an exported state is of the types that the engine and the program write.

Whoever may push a branch may write a state. Those who read one find a text where a text is
written, so none of them has to look.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

# A shape is a type, a mapping of fields, a mapping of `_ANY` field, or a list of one shape. What is
# left out or null is always as written.
_ANY: Final = "*"
_TEXT = str
_NUMBER = float
_FLAG = bool
# The engine has every number as a float.
_MOST = 2**53
_MAP: Mapping[str, Any] = {}
_TEXTS = {_ANY: _TEXT}

# pulumi/pulumi sdk/go/common/apitype/core.go, ResourceV3, v3.256.0.
_RESOURCE = {
    "urn": _TEXT,
    "type": _TEXT,
    "custom": _FLAG,
    "delete": _FLAG,
    "external": _FLAG,
    "pendingReplacement": _FLAG,
    "id": _TEXT,
    "inputs": _MAP,
    "outputs": _MAP,
    "parent": _TEXT,
    "provider": _TEXT,
    "dependencies": [_TEXT],
    "propertyDependencies": {_ANY: [_TEXT]},
    "initErrors": [_TEXT],
    "created": _TEXT,
}
_OBJECT = {
    "metadata": {
        "name": _TEXT,
        "namespace": _TEXT,
        "labels": _TEXTS,
        "annotations": _TEXTS,
    },
    "spec": _MAP,
}
_TEMPLATE = {
    "metadata": {"labels": _TEXTS},
    "spec": {"containers": [{"resources": {"limits": _MAP}}]},
}
_JOB = {"template": _TEMPLATE}
_RAY = {"headGroupSpec": {"template": _TEMPLATE}, "workerGroupSpecs": [{"template": _TEMPLATE}]}
# By resource type what is read of the inputs, and of the outputs that repeat them.
_PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "gcp:container/nodePool:NodePool": {
        "name": _TEXT,
        "location": _TEXT,
        "nodeLocations": [_TEXT],
        "nodeCount": _NUMBER,
        "initialNodeCount": _NUMBER,
        "autoscaling": {
            "totalMinNodeCount": _NUMBER,
            "totalMaxNodeCount": _NUMBER,
            "minNodeCount": _NUMBER,
            "maxNodeCount": _NUMBER,
        },
        "nodeConfig": {
            "machineType": _TEXT,
            "diskType": _TEXT,
            "diskSizeGb": _NUMBER,
            "labels": _TEXTS,
            "guestAccelerators": [{"count": _NUMBER}],
            "reservationAffinity": {"consumeReservationType": _TEXT, "values": [_TEXT]},
        },
        "networkConfig": {"additionalNodeNetworkConfigs": [_MAP]},
        "placementPolicy": {"tpuTopology": _TEXT},
        "queuedProvisioning": {"enabled": _FLAG},
    },
    "gcp:container/cluster:Cluster": {
        "releaseChannel": {"channel": _TEXT},
        "minMasterVersion": _TEXT,
        "addonsConfig": {"rayOperatorConfigs": [{"enabled": _FLAG}]},
    },
    "gcp:compute/network:Network": {"name": _TEXT, "project": _TEXT},
    "kubernetes:helm.sh/v3:Release": {
        "name": _TEXT,
        "namespace": _TEXT,
        "chart": _TEXT,
        "status": _MAP,
    },
    "kubernetes:core/v1:PersistentVolume": {**_OBJECT, "spec": {"csi": {"driver": _TEXT}}},
    "kubernetes:batch/v1:Job": {**_OBJECT, "spec": _JOB},
    "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet": {
        **_OBJECT,
        "spec": {"replicatedJobs": [{"template": {"spec": _JOB}}]},
    },
    "kubernetes:apps/v1:Deployment": {**_OBJECT, "spec": _JOB},
    "kubernetes:ray.io/v1:RayCluster": {**_OBJECT, "spec": _RAY},
    "kubernetes:ray.io/v1:RayJob": {**_OBJECT, "spec": {"rayClusterSpec": _RAY}},
}
_STACK = "pulumi:pulumi:Stack"
_OUTPUTS = {
    "project": _TEXT,
    "cluster_name": _TEXT,
    "cluster_location": _TEXT,
    "namespaces": [_TEXT],
    "operators": [_TEXT],
    "machines_after_jobs": [_TEXT],
    "teams": _MAP,
}


class StateError(ValueError):
    """A state that is not as the program writes it."""


def checked(found: Any, name: str = "resources") -> list[dict[str, Any]]:
    """The resources of a state, which have a URN each. Raises StateError."""
    for where, wanted in _wrong([_MAP], found, name):
        raise StateError(f"{where} is no {wanted}")
    resources: list[dict[str, Any]] = found or []
    for place, it in enumerate(resources):
        for where, wanted in _of_resource(it, f"{name}[{place}]"):
            raise StateError(f"{where} is no {wanted}")
    return resources


def _of_resource(it: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    urn = it.get("urn")
    # Without its other parts nothing says of which type it is.
    if not isinstance(urn, str) or urn.count("::") < 3:
        yield f"{where}.urn", "URN"
        return
    token = urn.split("::")[2].rpartition("$")[2]
    if it.get("type") != token or (token.startswith("kubernetes:") and token.count(":") != 2):
        yield f"{where}.type", f"type of {urn}"
    yield from _wrong(_RESOURCE, it, where)
    where = f"{where} ({token}, {urn.rpartition('::')[2]})"
    for key in ("inputs", "outputs"):
        yield from _wrong(_properties(token, key), it.get(key), f"{where}.{key}")


def _properties(token: str, key: str) -> Mapping[str, Any]:
    if token == _STACK:
        return _OUTPUTS if key == "outputs" else _MAP
    return _PROPERTIES.get(token, _OBJECT if token.startswith("kubernetes:") else _MAP)


def _wrong(shape: Any, value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Each place that has another type, and which it is to have."""
    if value is None:
        return
    if isinstance(shape, list):
        if not isinstance(value, list):
            yield where, "list"
            return
        for place, each in enumerate(value):
            # No list that is written has null in it.
            yield from _wrong(shape[0], "" if each is None else each, f"{where}[{place}]")
    elif isinstance(shape, Mapping):
        if not isinstance(value, Mapping):
            yield where, "mapping"
            return
        for key, inner in _fields(shape, value):
            yield from _wrong(inner, value.get(key), f"{where}.{key}")
    elif not _is(shape, value):
        yield where, {_TEXT: "text", _NUMBER: "number", _FLAG: "yes or no"}[shape]


def _fields(shape: Mapping[str, Any], value: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    return ((key, shape[_ANY]) for key in value) if _ANY in shape else shape.items()


def _is(shape: type, value: object) -> bool:
    if shape is _NUMBER:
        return type(value) in (int, float) and abs(value) < _MOST  # type: ignore[operator]
    return isinstance(value, shape)
