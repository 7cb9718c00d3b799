"""A stack that leaves a cluster which it did not make, for its own or for another such one, or
whose own cluster is gone.

No resource on record is that cluster: it is known by the kubeconfig that the provider of its
objects has. Why no single run moves them is told in one_run.py.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from components.base.existing_facts import ClusterFacts
from stacks.on_record import Record
from stacks.one_run import PROVIDER, WHY
from stacks.plan import Plan
from stacks.refusal import CLUSTER, KUBERNETES
from stacks.two_runs import Difference, TwoRuns

_FIELD = "the cluster (stack.cluster)"
# In the URN of a provider that a cluster of the stack's own brought about, of any release.
_OWN = ":GkeCluster$"


@dataclass(frozen=True)
class _Left:
    """The cluster that objects are in, and the provider that brought them there."""

    name: str
    server: str
    provider: str
    cluster_id: str | None

    def is_in(self, found: "ClusterFacts") -> bool:
        """A cluster keeps its name at Google Cloud when its owner gives it another endpoint."""
        if self.cluster_id and found.dns_name:
            return self.cluster_id == found.dns_name
        return self.server == f"https://{found.endpoint}"

    @property
    def is_own(self) -> bool:
        return _OWN in self.provider

    def __str__(self) -> str:
        return f"{self.name} at {self.server}"


def leaving(plan: Plan, record: Record, stack: str) -> Iterator[TwoRuns]:
    """For a cluster that the stack makes; `stack` is what Pulumi calls it."""
    if plan.stack.cluster.is_made:
        for left in _left(record):
            yield _gone(left, stack) if left.is_own else _two_runs(left, "one that the stack makes")


def entering(found: "ClusterFacts", record: Record) -> Iterator[TwoRuns]:
    """For the cluster that was found in the place of the one on record."""
    for left in _left(record):
        if not left.is_in(found):
            yield _two_runs(left, f"{found.name} at https://{found.endpoint}")


def _left(record: Record) -> Iterator[_Left]:
    """Where nothing on record is in the cluster, one run replaces the provider."""
    has_objects = any(it.type.startswith(KUBERNETES) for it in record.resources)
    if record.of_type(CLUSTER) or not has_objects:
        return
    for provider in record.of_type(PROVIDER):
        # What is a secret is not on record.
        if (text := provider.outputs.get("kubeconfig")) is not None:
            config = json.loads(text)
            server = config["clusters"][0]["cluster"]["server"]
            known_as = provider.outputs.get("clusterIdentifier")
            yield _Left(config["current-context"], server, provider.urn, known_as)


def _two_runs(left: _Left, there: str) -> TwoRuns:
    return TwoRuns(
        what=f"The stack would leave the cluster {left.name}, and no single run does that",
        differences=[Difference(_FIELD, left, there)],
        why=WHY,
        targets=(left.provider,),
        loss=f"With `destroy` goes what the stack has in {left.name}; with `up` its nodes there.",
        perhaps_gone=left.name,
    )


def _gone(left: _Left, stack: str) -> TwoRuns:
    return TwoRuns(
        what=f"The stack's own cluster {left} is on record no more, and what was in it still is",
        differences=(),
        why="the engine would delete that first, and no control plane answers",
        destroys=False,
        forgets=True,
        loss=f"With `refresh` goes from the record what was in {left.name}; with `up` all of it is "
        "made again. To leave the stack: the same `refresh`, then `pulumi destroy --run-program "
        f"--stack {stack}` with stack.deletion_protection false in the stack's file.",
    )
