"""What workloads queue by: flavors of nodes and where those stand, checks before a workload starts,
cohorts, cluster queues with their quotas, and classes of priority that hold in queues alone.

Leaves out Kueue, the workloads and the local queues, which are in namespaces. A queue goes before
what it names, and all of it before Kueue, without which nobody would take Kueue's finalizers off.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import one_of, refuse
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from .kueue import Kueue
from .manifest import (
    API_VERSION,
    ClusterQueueArgs,
    cluster_queue_spec,
    flavor_spec,
)
from .provisioning_manifest import admission_check_spec, provisioning_config_spec
from .topology import topology_spec

# What a kind is called in the names of resources.
_ROLES = {
    "AdmissionCheck": "admission-check",
    "ClusterQueue": "cluster-queue",
    "Cohort": "cohort",
    "ProvisioningRequestConfig": "provisioning-config",
    "ResourceFlavor": "flavor",
    "Topology": "topology",
}


@dataclass(frozen=True, kw_only=True)
class ResourceFlavorArgs:
    """Taints and tolerations are in Kubernetes' words; GKE's own for GPUs needs one only with a
    `topology`, for Kueue then looks at nodes before GKE has seen the pods."""

    name: str
    node_labels: pulumi.Input[dict[str, str]] | None = None
    taints: Sequence[dict[str, str]] = ()
    tolerations: Sequence[dict[str, str]] = ()
    topology: str | None = None


@dataclass(frozen=True, kw_only=True)
class TopologyArgs:
    """`levels` are labels of nodes, from the widest to the narrowest."""

    name: str
    levels: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class AdmissionCheckArgs:
    """Asks GKE for queued machines that run for so long; a request that fails is made again."""

    name: str
    max_run_seconds: int
    retries: int


@dataclass(frozen=True, kw_only=True)
class CohortArgs:
    name: str
    parent: str | None = None


@dataclass(frozen=True, kw_only=True)
class WorkloadPriorityClassArgs:
    name: str
    value: int
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class KueueQueuesArgs:
    """The objects live and die with `kueue`, which is None where somebody else has installed it."""

    kueue: Kueue | None = None
    flavors: Sequence[ResourceFlavorArgs]
    topologies: Sequence[TopologyArgs] = ()
    admission_checks: Sequence[AdmissionCheckArgs] = ()
    cohorts: Sequence[CohortArgs] = ()
    cluster_queues: Sequence[ClusterQueueArgs]
    priority_classes: Sequence[WorkloadPriorityClassArgs] = ()
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        lists = {
            "flavors": self.flavors,
            "topologies": self.topologies,
            "admission_checks": self.admission_checks,
            "cohorts": self.cohorts,
            "cluster_queues": self.cluster_queues,
            "priority_classes": self.priority_classes,
        }
        for argument, ones in lists.items():
            names = [it.name for it in ones]
            for place, name in enumerate(names):
                name_is(f"{argument}[{place}].name", NameKind.KUBERNETES, name)
                if name in names[:place]:
                    reason = "is the name of two, and Kueue has one of a name"
                    refuse(f"{argument}[{place}].name", name, reason, f"{name}-2")
        flavors = [it.name for it in self.flavors]
        for place, queue in enumerate(self.cluster_queues):
            for group in queue.groups:
                for it in group.flavors:
                    where = f"cluster_queues[{place}].groups"
                    one_of(where, it.flavor, flavors, "is the name of none of flavors")
            for name in queue.admission_checks:
                known = [it.name for it in self.admission_checks]
                where = f"cluster_queues[{place}].admission_checks"
                one_of(where, name, known, "is the name of none of admission_checks")


class KueueQueues(Component, in_cluster=True):
    """`cluster_queues` and `class_names` are names by name, known once workloads can use them;
    `names` has each cluster queue's by itself, known once that one exists."""

    cluster_queues: pulumi.Output[dict[str, str]]
    class_names: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: KueueQueuesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:KueueQueues",
            name,
            args,
            formerly("kueue_queues:KueueQueues", opts),
        )
        self._args = args
        topologies = {
            one.name: self._object("Topology", one.name, topology_spec(one.levels))
            for one in args.topologies
        }
        flavors = {
            one.name: self._flavor(one, topologies.get(one.topology or "")) for one in args.flavors
        }
        checks = {one.name: self._admission_check(one) for one in args.admission_checks}
        cohorts = {
            one.name: self._object(
                "Cohort", one.name, {"parentName": one.parent} if one.parent else {}
            )
            for one in args.cohorts
        }
        cluster_queues = {
            one.name: self._object(
                "ClusterQueue",
                one.name,
                cluster_queue_spec(
                    one,
                    flavors=_names(flavors),
                    cohort=_names(cohorts).get(one.cohort or "", one.cohort),
                    checks=_names(checks),
                ),
            )
            for one in args.cluster_queues
        }
        classes = {one.name: self._priority_class(one) for one in args.priority_classes}
        self.names = _names(cluster_queues)
        self.cluster_queues = pulumi.Output.all(**self.names)
        self.class_names = pulumi.Output.all(**classes)
        self.register_outputs(
            {"cluster_queues": self.cluster_queues, "class_names": self.class_names}
        )

    def _flavor(
        self, flavor: ResourceFlavorArgs, topology: k8s.apiextensions.CustomResource | None
    ) -> k8s.apiextensions.CustomResource:
        spec = flavor_spec(
            node_labels=flavor.node_labels,
            taints=flavor.taints,
            tolerations=flavor.tolerations,
            topology=flavor.topology if topology is None else object_name(topology),
        )
        return self._object("ResourceFlavor", flavor.name, spec)

    def _admission_check(self, check: AdmissionCheckArgs) -> k8s.apiextensions.CustomResource:
        config = provisioning_config_spec(
            max_run_seconds=check.max_run_seconds, retries=check.retries
        )
        made = self._object("ProvisioningRequestConfig", check.name, config)
        return self._object("AdmissionCheck", check.name, admission_check_spec(object_name(made)))

    def _object(
        self, kind: str, name: str, spec: Mapping[str, Any]
    ) -> k8s.apiextensions.CustomResource:
        return k8s.apiextensions.CustomResource(
            f"{self.pulumi_resource_name}-{_ROLES[kind]}-{name}",
            api_version=API_VERSION,
            kind=kind,
            metadata=self._metadata(name),
            spec=spec,
            opts=self._options(),
        )

    def _priority_class(self, one: WorkloadPriorityClassArgs) -> pulumi.Output[str]:
        # The class for custom objects knows no field beside metadata and spec; this kind has two.
        made = pulumi.CustomResource(
            f"kubernetes:{API_VERSION}:WorkloadPriorityClass",
            f"{self.pulumi_resource_name}-class-{one.name}",
            props={
                "apiVersion": API_VERSION,
                "kind": "WorkloadPriorityClass",
                "metadata": self._metadata(one.name),
                "value": one.value,
                "description": one.description,
            },
            opts=self._options(),
        )
        return object_name(made)

    def _metadata(self, name: str) -> dict[str, Any]:
        return {"name": name, "labels": self._args.labels}

    def _options(self) -> pulumi.ResourceOptions:
        """No value of the release is in the objects: it makes their kinds and checks them."""
        kueue = self._args.kueue
        if kueue is None:
            return fixed_name(self)
        options = fixed_name(self, replace_with=[kueue.release])
        options.depends_on = [kueue.release, kueue.ready]
        return options


def _names(
    made: Mapping[str, k8s.apiextensions.CustomResource],
) -> dict[str, pulumi.Output[str]]:
    return {name: object_name(one) for name, one in made.items()}
