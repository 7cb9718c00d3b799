"""Resource quotas: what the pods of a namespace ask for together, and the pod that is refused.

Source of rules and words: k8s.io/apiserver 0.35.4, pkg/admission/plugin/resourcequota, and
k8s.io/kubernetes 1.35.4, pkg/quota/v1/evaluator/core/pods.go. Left out: limits, scopes and numbers
of other objects than pods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.gke.pod_webhooks import mutated
from sandbox.kube import quantity
from sandbox.kube.amounts import NOTHING, Amount, shown, total
from sandbox.kube.errors import KubeError
from sandbox.kube.objects import JsonObject, Node, maps, name_of, namespace_of
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.scheduler import requests_of
from sandbox.kube.store import Store

_PODS = "pods"
_REQUESTS = "requests."
_PLAIN = ("cpu", "memory")
# Kubernetes calls it a mistake that these make requests obligatory, and keeps to it.
_OBLIGATORY = {"cpu", "memory", "requests.cpu", "requests.memory"}


def quota_findings(obj: JsonObject) -> Iterator[tuple[str, str]]:
    spec = obj.get("spec") or {}
    for name, amount in (spec.get("hard") or {}).items():
        path = f"spec.hard[{name}]"
        counted = name in (_PODS, *_PLAIN) or name.startswith(_REQUESTS)
        if not counted:
            yield path, "the sandbox counts pods and requests alone"
        try:
            if quantity.parse(amount) < 0:
                yield path, f'"{amount}" must be greater than or equal to 0'
        except KubeError as error:
            yield path, error.message
    for field in ("scopes", "scopeSelector"):
        if spec.get(field):
            yield f"spec.{field}", "the sandbox counts all pods of the namespace"


def refuse_over_quota(store: Store, pod: Mapping[str, Any]) -> None:
    """Raises KubeError for a new pod that a quota of its namespace has no room for."""
    for quota in _quotas(store, namespace_of(pod)):
        if why := _against(store, quota, mutated(store, pod)):
            text = f'pods "{name_of(dict(pod))}" is forbidden: {why}'
            raise KubeError(text, reason="Forbidden")


def count_quotas(store: Store, nodes: Sequence[Node]) -> None:
    """What each quota allows, and how much of it is used."""
    del nodes
    for quota in store.all("ResourceQuota"):
        hard = _hard(quota)
        used = _used(store, quota)
        status = {
            "hard": {name: str(amount) for name, amount in hard.items()},
            "used": {name: str(amount) for name, amount in used.items()},
        }
        store.patch(quota, status=status)


def _against(store: Store, quota: JsonObject, pod: JsonObject) -> str:
    hard = _hard(quota)
    if unsaid := _unsaid(hard.keys() & _OBLIGATORY, pod["spec"]):
        return f"failed quota: {name_of(quota)}: must specify {unsaid}"
    used = _used(store, quota)
    wanted = _usage(hard, pod["spec"])
    over = {
        name for name, amount in wanted.items() if (used[name] + amount).value > hard[name].value
    }
    if not over:
        return ""
    lists = [shown({name: amounts[name] for name in over}) for amounts in (wanted, used, hard)]
    return "exceeded quota: {}, requested: {}, used: {}, limited: {}".format(name_of(quota), *lists)


def _quotas(store: Store, namespace: str) -> list[JsonObject]:
    return [each for each in store.all("ResourceQuota") if namespace_of(each) == namespace]


def _hard(quota: JsonObject) -> dict[str, Amount]:
    hard = (quota.get("spec") or {}).get("hard") or {}
    return {name: Amount.read(amount) for name, amount in hard.items()}


def _used(store: Store, quota: JsonObject) -> dict[str, Amount]:
    hard = _hard(quota)
    usages = [
        _usage(hard, mutated(store, pod)["spec"])
        for pod in store.all("Pod")
        if namespace_of(pod) == namespace_of(quota) and phase(pod) not in FINISHED
    ]
    return {name: total(usage.get(name, NOTHING) for usage in usages) for name in hard}


def _usage(hard: Mapping[str, Amount], spec: Mapping[str, Any]) -> dict[str, Amount]:
    """What a pod takes of the resources that a quota counts; what it does not ask for is left
    out."""
    requests = requests_of(spec)
    binary = _written_in_binary(spec)
    found: dict[str, Amount] = {}
    for name in hard:
        resource = name.removeprefix(_REQUESTS)
        if resource in requests:
            found[name] = Amount(requests[resource], resource in binary)
    return found


def _written_in_binary(spec: Mapping[str, Any]) -> set[str]:
    return {
        name
        for container in _containers(spec)
        for name, amount in _asked(container).items()
        if Amount.read(amount).binary
    }


def _unsaid(required: set[str], spec: Mapping[str, Any]) -> str:
    if spec.get("resources"):
        return ""
    lacking: dict[str, set[str]] = {}
    for container in _containers(spec):
        for name in required:
            if name.removeprefix(_REQUESTS) not in _asked(container):
                lacking.setdefault(name, set()).add(container["name"])
    return "; ".join(f"{name} for: {','.join(sorted(lacking[name]))}" for name in sorted(lacking))


def _containers(spec: Mapping[str, Any]) -> list[JsonObject]:
    return [*maps(spec.get("containers")), *maps(spec.get("initContainers"))]


def _asked(container: Mapping[str, Any]) -> dict[str, Any]:
    resources = container.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
