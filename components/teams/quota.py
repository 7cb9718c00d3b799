"""How much of a cluster the pods of a team may ask for at once, as plain data. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.arguments import at_least, refuse, within

# What a container requests that does not say: a quota of cpu or memory makes it obligatory, one of
# devices nothing (k8s.io/kubernetes v1.35.4 pkg/quota/v1/evaluator/core/pods.go:78-115, :128-171).
DEFAULT_MILLICORES = 100
DEFAULT_MEBIBYTES = 256


@dataclass(frozen=True, kw_only=True)
class TeamQuotaArgs:
    """Amounts of cpu are millicores, of memory MiB, of `devices`, such as nvidia.com/gpu or
    google.com/tpu, their number; what is left out has no limit.

    The defaults are what a container asks for that does not say: under a quota of cpu or memory
    Kubernetes refuses pods that leave it open.
    """

    cpu: int | None = None
    memory: int | None = None
    devices: dict[str, int] = field(default_factory=dict[str, int])
    pods: int | None = None
    default_cpu: int
    default_memory: int = DEFAULT_MEBIBYTES

    def check(self) -> None:
        amounts = {"cpu": self.cpu, "memory": self.memory, "pods": self.pods, **self.devices}
        given = {name: amount for name, amount in amounts.items() if amount is not None}
        for name, amount in given.items():
            at_least(name, amount, 0, "is less than nothing")
        if not given:
            refuse("pods", None, "is as all else, and a quota of nothing limits nothing", 100)
        for name in self.devices:
            if "/" not in name:
                refuse("devices", name, "is not a device, named VENDOR/DEVICE", "nvidia.com/gpu")
        for name, default, most in (
            ("cpu", self.default_cpu, self.cpu),
            ("memory", self.default_memory, self.memory),
        ):
            at_least(f"default_{name}", default, 1, "runs nothing")
            within(f"default_{name}", default, most or None, f"the quota of {name}")


# An API server writes amounts in its own way, and a refresh would find any other changed
# (k8s.io/apimachinery v0.35.4 pkg/api/resource/quantity.go; seen on a real one, 2026-11-22).
_CORES = (1000, ("m", "", "k", "M"))
_MEBIBYTES = (1024, ("Mi", "Gi", "Ti", "Pi"))
_COUNTS = (1000, ("", "k", "M"))


def quota_spec(quota: TeamQuotaArgs) -> Any:
    """A ResourceQuota's spec. Of devices Kubernetes counts requests alone."""
    hard: Mapping[str, str | None] = {
        "requests.cpu": _written(quota.cpu, *_CORES),
        "requests.memory": _written(quota.memory, *_MEBIBYTES),
        **{
            f"requests.{name}": _written(count, *_COUNTS)
            for name, count in sorted(quota.devices.items())
        },
        "pods": _written(quota.pods, *_COUNTS),
    }
    return {"hard": {name: amount for name, amount in hard.items() if amount is not None}}


def storage_spec(gib: int) -> Any:
    """A ResourceQuota's spec: what the PersistentVolumeClaims of a namespace request together,
    whatever their StorageClass. Those of a pod's own volumes count, too (kubernetes/kubernetes
    v1.35.4 pkg/quota/v1/evaluator/core/persistent_volume_claims.go)."""
    if gib < 0:
        raise ValueError(f"storage of {gib} GiB is less than nothing; nearest: 0")
    return {"hard": {"requests.storage": _written(gib * 1024, *_MEBIBYTES)}}


def defaults_spec(quota: TeamQuotaArgs) -> Any:
    """A LimitRange's spec, where the quota makes requests obligatory."""
    cpu = None if quota.cpu is None else quota.default_cpu
    return _limits(cpu, None if quota.memory is None else quota.default_memory)


def queued_defaults_spec() -> Any:
    """A LimitRange's spec for a team with a queue, where work counts by its requests alone: Kueue
    reads them off the pod, or adds the namespace's defaults itself (kubernetes-sigs/kueue v0.19.2
    pkg/workload/resources.go, handlePodLimitRange)."""
    return _limits(DEFAULT_MILLICORES, DEFAULT_MEBIBYTES)


def _limits(cpu: int | None, memory: int | None) -> Any:
    """What a container requests that does not say; millicores and MiB."""
    given = {"cpu": _written(cpu, *_CORES), "memory": _written(memory, *_MEBIBYTES)}
    requests = {name: amount for name, amount in given.items() if amount is not None}
    if not requests:
        return None
    return {"limits": [{"type": "Container", "defaultRequest": requests}]}


def _written(amount: int | None, base: int, units: Sequence[str]) -> str | None:
    """In the largest unit that leaves a whole number, as Kubernetes' Quantity does."""
    if not amount:
        return None if amount is None else "0"
    *smaller, largest = units
    for unit in smaller:
        if amount % base:
            return f"{amount}{unit}"
        amount //= base
    return f"{amount}{largest}"
