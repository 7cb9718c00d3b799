"""A stack that leaves a cluster which it did not make, for its own or for another such one.

No resource on record is that cluster: it is known by the kubeconfig that the provider of its
objects has. Why no single run moves them is told in one_run.py.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stacks.on_record import Record
from stacks.one_run import PROVIDER, WHY
from stacks.plan import Plan
from stacks.refusal import CLUSTER
from stacks.two_runs import Difference, TwoRuns

if TYPE_CHECKING:
    from components.existing_facts import ClusterFacts

_FIELD = "stack.cluster"


@dataclass(frozen=True)
class _Left:
    """The cluster that objects are in, and the provider that brought them there."""

    name: str
    server: str
    provider: str

    def __str__(self) -> str:
        return f"{self.name} at {self.server}"


def leaving(plan: Plan, record: Record) -> Iterator[TwoRuns]:
    """For a cluster that the stack makes."""
    if plan.stack.cluster.is_made:
        for left in _left(record):
            yield _two_runs(left, "one that the stack makes")


def entering(found: "ClusterFacts", record: Record) -> Iterator[TwoRuns]:
    """For the cluster that was found in the place of the one on record."""
    for left in _left(record):
        if left.server != f"https://{found.endpoint}":
            yield _two_runs(left, f"{found.name} at https://{found.endpoint}")


def _left(record: Record) -> Iterator[_Left]:
    if record.of_type(CLUSTER):
        return
    for provider in record.of_type(PROVIDER):
        # What is a secret is not on record.
        if (text := provider.outputs.get("kubeconfig")) is not None:
            config = json.loads(text)
            server = config["clusters"][0]["cluster"]["server"]
            yield _Left(config["current-context"], server, provider.urn)


def _two_runs(left: _Left, there: str) -> TwoRuns:
    return TwoRuns(
        what=f"The stack would leave the cluster {left.name}, and no single run does that",
        differences=[Difference(_FIELD, left, there)],
        why=WHY,
        targets=(left.provider,),
        loss=f"With `destroy` goes what the stack has in {left.name}; with `up` its nodes there.",
    )
