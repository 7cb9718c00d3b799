"""Operators that a run would set back to an older release than the one in the cluster: told before
it does.

Kueue's chart has its definitions among its templates, so that they go back with it
(kubernetes-sigs/kueue charts/kueue/templates/crd, v0.19.2), and what an older one lacks an API
server drops from an object that is written again (Kubernetes documentation, "Extend the Kubernetes
API with CustomResourceDefinitions", field pruning). Definitions in a chart's folder `crds` Helm
leaves as they are (Helm documentation, "Custom Resource Definitions", read 2026-11-27):
kubernetes-sigs/jobset charts/jobset/crds, v0.12.0, and ray-project/kuberay
helm-chart/kuberay-operator/crds, v1.4.2.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from stacks.installed_twice import used
from stacks.on_record import Record
from stacks.parts.cluster.config import Operator
from stacks.plan import Plan
from stacks.refusal import RELEASE

_NUMBERS = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")


class _Chart(NamedTuple):
    """The name of a chart's release, and what an older one does to what the newer has written."""

    operator: Operator
    release: str
    loses: str


_DEFINITIONS_STAY = (
    "the definitions of its kinds stay the newer ones, and of what the config or people have set "
    "in fields of those the older one does nothing"
)
_CHARTS = (
    _Chart(
        Operator.KUEUE,
        "kueue",
        "the definitions of its kinds go back, too, and queues and workloads lose fields that the "
        "older ones lack",
    ),
    _Chart(Operator.KUBERAY, "kuberay-operator", _DEFINITIONS_STAY),
    _Chart(Operator.JOBSET, "jobset", _DEFINITIONS_STAY),
)


def told(plan: Plan, record: Record) -> Iterator[str]:
    there = {str(it.outputs.get("name")): it.outputs for it in record.of_type(RELEASE)}
    for chart in _CHARTS:
        if chart.operator not in used(plan) or chart.release not in there:
            continue
        before, after = str(there[chart.release].get("version")), _wanted(plan, chart.operator)
        if _is_older(after, before):
            yield (
                f"{chart.operator}: {before} is in the cluster, and {after} is older: "
                f"{chart.loses}; what runs and waits may stop or be looked after no more, so go "
                f"back while nothing does; nearest: {_nearest(plan, chart.operator, before)}"
            )


def _wanted(plan: Plan, operator: Operator) -> str:
    kueue = plan.stack.queues
    own = kueue.version if operator is Operator.KUEUE and kueue is not None else None
    return plan.facts.release(operator.value, own)


def _nearest(plan: Plan, operator: Operator, before: str) -> str:
    known = operator is Operator.KUEUE and before in plan.facts.component(operator.value).releases
    return f"queues.version: {before}" if known else "the release of this program that made it"


def _is_older(one: str, other: str) -> bool:
    """Of what is no version nothing is said."""
    found = [_NUMBERS.match(it) for it in (one, other)]
    numbers = [tuple(map(int, it.groups())) for it in found if it is not None]
    return len(numbers) == len(found) and numbers[0] < numbers[1]
