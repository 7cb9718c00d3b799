"""Kueue's configuration, the values of its chart and the specs of its objects as plain data. Pure.

Source: kubernetes-sigs/kueue v0.19.2, apis/config/v1beta2, apis/kueue/v1beta2 and charts/kueue.
Values may be Pulumi inputs that are only known later; nothing here looks into them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import yaml

from ..base.arguments import refuse
from .frameworks import FRAMEWORKS
from .provisioning_manifest import checks_strategy

API_VERSION = "kueue.x-k8s.io/v1beta2"
RELEASE = "kueue"
NAMESPACE = "kueue-system"
# How long Kueue leaves to what it has admitted until all its pods are ready, where nobody says it
# (apis/config/v1beta2/defaults.go). Since 0.19 it is never off.
READY_MINUTES = 30
_NAMESPACE_LABEL = "kubernetes.io/metadata.name"
_MEBIBYTES = frozenset({"memory", "ephemeral-storage"})
# Kueue 0.19.2 counts the devices that pods claim, and never admits those whose device classes its
# configuration does not name (pkg/dra/claims.go; what needs the first gate is off with it,
# pkg/config/validation.go). Interfaces come with whole machines, whose accelerators are counted.
_CLAIM_GATES = (
    "KueueDRAIntegration",
    "KueueDRAIntegrationExtendedResource",
    "KueueDRAIntegrationPartitionableDevices",
    "KueueDRARejectWorkloadsWhenDRADisabled",
)
_CONCURRENCY = {
    "Job.batch": 5,
    "Pod": 5,
    "Workload.kueue.x-k8s.io": 10,
    "LocalQueue.kueue.x-k8s.io": 5,
    "ClusterQueue.kueue.x-k8s.io": 5,
    "ResourceFlavor.kueue.x-k8s.io": 1,
}


@dataclass(frozen=True, kw_only=True)
class ResourceQuotaArgs:
    """Amounts of cpu are millicores, of memory and ephemeral-storage MiB, of devices their number.

    The limits, of what is borrowed from the cohort and lent to it, are none where left out.
    """

    resource: str
    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class FlavorQuotasArgs:
    flavor: str
    resources: Sequence[ResourceQuotaArgs]


@dataclass(frozen=True, kw_only=True)
class ResourceGroupArgs:
    """Flavors that are tried in this order; each has the resources that the first one has."""

    flavors: Sequence[FlavorQuotasArgs]

    def check(self) -> None:
        if not self.flavors:
            refuse("flavors", "()", "has no quota", "one flavor")
        covered = [it.resource for it in self.flavors[0].resources]
        for place, one in enumerate(self.flavors):
            quotas = [it.resource for it in one.resources]
            if sorted(quotas) != sorted(covered):
                refuse(
                    f"flavors[{place}].resources",
                    ", ".join(sorted(quotas)),
                    f"of {one.flavor} are not those of {self.flavors[0].flavor}, and all flavors "
                    "of a group have the same",
                    ", ".join(covered),
                )


@dataclass(frozen=True, kw_only=True)
class PreemptionArgs:
    """Never, LowerPriority, or what else Kueue's field of that name takes."""

    within_cluster_queue: str = "LowerPriority"
    reclaim_within_cohort: str = "LowerPriority"
    borrow_within_cohort: str = "Never"


@dataclass(frozen=True, kw_only=True)
class FungibilityArgs:
    """Whether a workload that could borrow, or stop another, in one flavor goes on to the next:
    MayStopSearch or TryNextFlavor. The defaults are Kueue's."""

    when_can_borrow: str = "MayStopSearch"
    when_can_preempt: str = "TryNextFlavor"


@dataclass(frozen=True, kw_only=True)
class ClusterQueueArgs:
    """Those of `namespaces` may use it; with none given, all may. `admission_checks` have each the
    flavors that it is for."""

    name: str
    groups: Sequence[ResourceGroupArgs]
    cohort: str | None = None
    namespaces: Sequence[str] = ()
    preemption: PreemptionArgs = PreemptionArgs()
    fungibility: FungibilityArgs = FungibilityArgs()
    admission_checks: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


def kueue_values(
    *,
    frameworks: Sequence[str],
    unmanaged_namespaces: Sequence[str],
    ready_minutes: int,
    node_selector: Any,
) -> dict[str, Any]:
    """Values of Kueue's chart, which takes the configuration as text and names its parts itself."""
    configuration = controller_configuration(frameworks, unmanaged_namespaces, ready_minutes)
    text = yaml.safe_dump(configuration, sort_keys=False)
    placing = {} if node_selector is None else {"nodeSelector": node_selector}
    return {
        "managerConfig": {"controllerManagerConfigYaml": text},
        **({"controllerManager": placing} if placing else {}),
    }


def check_framework(framework: str) -> None:
    """Raises ValueError on one that would stop Kueue's pod."""
    if framework not in FRAMEWORKS:
        near = get_close_matches(framework, sorted(FRAMEWORKS), n=3, cutoff=0.4)
        raise ValueError(
            f'"{framework}" is not a framework that Kueue integrates; '
            f"nearest: {', '.join(near) or 'pod'}"
        )


def controller_configuration(
    frameworks: Sequence[str],
    unmanaged_namespaces: Sequence[str],
    ready_minutes: int = READY_MINUTES,
) -> dict[str, Any]:
    """Kueue's own configuration, in which it accepts no field that it does not know.

    Pods queue when they have the queue label: since 0.15 Kueue has no selector for pods, and drops
    an old one without a word. What is admitted and not ready after `ready_minutes`, or not again
    after it was, is stopped and waits again, at first a minute and at most an hour. Raises
    ValueError on a framework that would stop Kueue's pod.
    """
    for framework in frameworks:
        check_framework(framework)
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {"groupKindConcurrency": dict(_CONCURRENCY)},
        # The chart's (charts/kueue/values.yaml).
        "clientConnection": {"qps": 300, "burst": 500},
        "waitForPodsReady": {
            "timeout": f"{ready_minutes}m",
            "recoveryTimeout": f"{ready_minutes}m",
            "blockAdmission": False,
            "requeuingStrategy": {
                "timestamp": "Eviction",
                "backoffBaseSeconds": 60,
                "backoffMaxSeconds": 3600,
            },
        },
        "managedJobsNamespaceSelector": {
            "matchExpressions": [
                {
                    "key": _NAMESPACE_LABEL,
                    "operator": "NotIn",
                    "values": list(dict.fromkeys(unmanaged_namespaces)),
                }
            ]
        },
        "integrations": {"frameworks": list(frameworks)},
        "featureGates": dict.fromkeys(_CLAIM_GATES, False),
    }


def quantity(resource: str, amount: int) -> str:
    """An amount as Kubernetes writes it: 71500 millicores are 71500m, and 294912 MiB are 288Gi."""
    if resource == "cpu":
        whole, rest = divmod(amount, 1000)
        return f"{amount}m" if rest else str(whole)
    if resource not in _MEBIBYTES or amount == 0:
        return str(amount)
    for unit in ("Mi", "Gi"):
        if amount % 1024:
            return f"{amount}{unit}"
        amount //= 1024
    return f"{amount}Ti"


def flavor_spec(
    *,
    node_labels: Any,
    taints: Sequence[Mapping[str, str]],
    tolerations: Sequence[Mapping[str, str]],
    topology: Any = None,
) -> dict[str, Any]:
    """A ResourceFlavor: pods that get it are sent to nodes with these labels, and with a Topology
    each to the one that Kueue has found."""
    given = {
        "nodeLabels": node_labels,
        "nodeTaints": [dict(one) for one in taints] or None,
        "tolerations": [dict(one) for one in tolerations] or None,
        "topologyName": topology,
    }
    return {key: value for key, value in given.items() if value is not None}


def cluster_queue_spec(
    queue: ClusterQueueArgs, *, flavors: Mapping[str, Any], cohort: Any, checks: Mapping[str, Any]
) -> dict[str, Any]:
    """A ClusterQueue. `flavors`, `cohort` and `checks` are names, known once those exist."""
    spec: dict[str, Any] = {
        "namespaceSelector": _only(queue.namespaces) if queue.namespaces else {},
        "preemption": _preemption(queue.preemption),
        "resourceGroups": [_resource_group(one, flavors) for one in queue.groups],
    }
    if cohort is not None:
        spec["cohortName"] = cohort
    if queue.fungibility != FungibilityArgs():
        spec["flavorFungibility"] = {
            "whenCanBorrow": queue.fungibility.when_can_borrow,
            "whenCanPreempt": queue.fungibility.when_can_preempt,
        }
    if queue.admission_checks:
        spec["admissionChecksStrategy"] = checks_strategy(queue.admission_checks, checks)
    return spec


def _only(namespaces: Sequence[str]) -> dict[str, Any]:
    """A selector by the label that the API server gives to each namespace."""
    chosen = {"key": _NAMESPACE_LABEL, "operator": "In", "values": list(namespaces)}
    return {"matchExpressions": [chosen]}


def _preemption(preemption: PreemptionArgs) -> dict[str, Any]:
    found: dict[str, Any] = {
        "withinClusterQueue": preemption.within_cluster_queue,
        "reclaimWithinCohort": preemption.reclaim_within_cohort,
    }
    if preemption.borrow_within_cohort != "Never":
        found["borrowWithinCohort"] = {"policy": preemption.borrow_within_cohort}
    return found


def _resource_group(group: ResourceGroupArgs, flavors: Mapping[str, Any]) -> dict[str, Any]:
    covered = [it.resource for it in group.flavors[0].resources]
    found: list[dict[str, Any]] = []
    for one in group.flavors:
        # Kueue wants them in the order of coveredResources.
        quotas = {it.resource: it for it in one.resources}
        resources = [_resource_quota(quotas[resource]) for resource in covered]
        found.append({"name": flavors.get(one.flavor, one.flavor), "resources": resources})
    return {"coveredResources": covered, "flavors": found}


def _resource_quota(quota: ResourceQuotaArgs) -> dict[str, str]:
    amounts = {
        "nominalQuota": quota.nominal,
        "borrowingLimit": quota.borrowing_limit,
        "lendingLimit": quota.lending_limit,
    }
    return {
        "name": quota.resource,
        **{
            key: quantity(quota.resource, amount)
            for key, amount in amounts.items()
            if amount is not None
        },
    }
