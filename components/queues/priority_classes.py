"""Priority classes of pods, by which Kubernetes, and Kueue where it queues, order and preempt."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import refuse
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly

_HIGHEST = 1_000_000_000
# Kubernetes lets neither change, for pods carry both from the day they were made.
_REPLACING = ["value", "preemptionPolicy"]


@dataclass(frozen=True, kw_only=True)
class PriorityClassArgs:
    """Pods that do not `preempt` others still go first. Kueue looks at the value alone."""

    name: str
    value: int
    preempts: bool = True
    global_default: bool = False
    description: str = ""

    def check(self) -> None:
        name_is("name", NameKind.KUBERNETES, self.name)
        if self.value > _HIGHEST:
            refuse("value", self.value, "is above what Kubernetes leaves to us", _HIGHEST)


@dataclass(frozen=True, kw_only=True)
class PriorityClassesArgs:
    classes: Sequence[PriorityClassArgs]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])


class PriorityClasses(Component, in_cluster=True):
    """`class_names` by the names asked for, known once all classes are there."""

    class_names: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: PriorityClassesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:PriorityClasses",
            name,
            args,
            formerly("priority_classes:PriorityClasses", opts),
        )
        made = {
            one.name: k8s.scheduling.v1.PriorityClass(
                f"{name}-{one.name}",
                metadata={
                    "name": one.name,
                    "labels": args.labels,
                },
                value=one.value,
                preemption_policy="PreemptLowerPriority" if one.preempts else "Never",
                global_default=one.global_default or None,
                description=one.description,
                opts=fixed_name(self, replace_on_changes=_REPLACING),
            )
            for one in args.classes
        }
        self.class_names = pulumi.Output.all(**{key: object_name(it) for key, it in made.items()})
        self.register_outputs({"class_names": self.class_names})
