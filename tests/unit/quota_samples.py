"""Pods that a quota has no room for, and Kubernetes' own words for it."""

from dataclasses import dataclass
from typing import Any

from components.teams.quota import TeamQuotaArgs, defaults_spec, quota_spec

NAMESPACE = "bounded"
UNSPOKEN = "unspoken"
QUOTA = TeamQuotaArgs(
    cpu=4000, memory=8 * 1024, devices={"nvidia.com/gpu": 2}, pods=3, default_cpu=100
)


@dataclass(frozen=True)
class Refused:
    """A pod with one container for each of `requests`, and how the refusal ends."""

    name: str
    requests: tuple[dict[str, str], ...]
    end: str
    namespace: str = NAMESPACE

    @property
    def message(self) -> str:
        return f'pods "{self.name}" is forbidden: {self.end}'


FIRST = ({"cpu": "1500m", "memory": "1536Mi"},)
# With FIRST running.
REFUSED = (
    Refused(
        "cores",
        ({"cpu": "2"}, {"cpu": "600m", "memory": "1Gi"}),
        "exceeded quota: team, requested: requests.cpu=2600m, used: requests.cpu=1500m, "
        "limited: requests.cpu=4",
    ),
    Refused(
        "both",
        ({"cpu": "3", "memory": "7Gi"},),
        "exceeded quota: team, requested: requests.cpu=3,requests.memory=7Gi, "
        "used: requests.cpu=1500m,requests.memory=1536Mi, "
        "limited: requests.cpu=4,requests.memory=8Gi",
    ),
    Refused(
        "gpus",
        ({"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "3"},),
        "exceeded quota: team, requested: requests.nvidia.com/gpu=3, "
        "used: requests.nvidia.com/gpu=0, limited: requests.nvidia.com/gpu=2",
    ),
    Refused(
        "unspoken",
        ({"cpu": "1"}, {}),
        "failed quota: team: must specify requests.cpu for: c1; requests.memory for: c0,c1",
        UNSPOKEN,
    ),
)


def objects() -> list[dict[str, Any]]:
    """Two namespaces of one quota; in the second nothing is said for pods."""
    return [
        *(
            _object("Namespace", name, namespace=None, metadata={"name": name})
            for name in (NAMESPACE, UNSPOKEN)
        ),
        _object("LimitRange", "defaults", namespace=NAMESPACE, spec=defaults_spec(QUOTA)),
        *(
            _object("ResourceQuota", "team", namespace=name, spec=quota_spec(QUOTA))
            for name in (NAMESPACE, UNSPOKEN)
        ),
    ]


def pod(
    name: str, requests: tuple[dict[str, str], ...], namespace: str = NAMESPACE
) -> dict[str, Any]:
    containers = [
        {
            "name": f"c{index}",
            "image": "busybox",
            "resources": {
                "requests": asked,
                "limits": {key: value for key, value in asked.items() if "/" in key},
            },
        }
        for index, asked in enumerate(requests)
    ]
    return _object("Pod", name, namespace=namespace, spec={"containers": containers})


def _object(kind: str, name: str, *, namespace: str | None, **parts: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **parts}
