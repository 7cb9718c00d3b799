"""Failures that a user asks the simulated cloud for, from a YAML file (`--fault FILE`).

rules:
  - {kind: fail, type: "gcp:lustre/instance:Instance", operation: create, nth: 1, message: "quota"}
  - {kind: stockout, machine_type: a4-highgpu-8g, zone: us-east1-b, machines: 5}
  - {kind: degraded, message: "quota exceeded"}
  - {kind: slow, type: "gcp:container/cluster:Cluster", factor: 3}
  - {kind: crash, after: 6, call: lost, type: "kubernetes:*"}
  - {kind: preempt, pool: v6e-16-1}
  - {kind: fail-job, job: maxtext-training}
"""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
)

from catalog.strict_yaml import read_yaml
from cli.errors import UserError

Operation = Literal["create", "update", "delete"]


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fail(_Rule):
    """The Nth operation of that kind on that resource type fails with the message, after it has
    hung for so many `minutes`, and leaves nothing."""

    kind: Literal["fail"]
    type: str
    operation: Operation = "create"
    nth: PositiveInt = 1
    minutes: NonNegativeFloat = 0
    message: str = "the simulated cloud was told to fail here"


# NVIDIA/aicr #2764 of 2026-09-15: GKE asked for the missing machine of a node pool every 4 minutes,
# and the operation failed after 36.
_STOCKOUT_MINUTES = 36


class Stockout(_Rule):
    """Of that type and zone each node pool that is made gets so many `machines` and no more, until
    a run without the rule. Its create fails after `minutes`; the pool and its machines stay."""

    kind: Literal["stockout"]
    machine_type: str
    zone: str
    machines: NonNegativeInt = 0
    minutes: NonNegativeFloat = _STOCKOUT_MINUTES


class Degraded(_Rule):
    """The clusters whose names match are made in that `state`. With a `message` the operation that
    makes one fails with it, after so many `minutes`."""

    kind: Literal["degraded"]
    cluster: str = "*"
    state: Literal["DEGRADED", "ERROR"] = "DEGRADED"
    message: str = ""
    minutes: NonNegativeFloat = 0

    def hits(self, cluster: str) -> bool:
        return fnmatchcase(cluster, self.cluster)


class Slow(_Rule):
    """Operations on that resource type take `factor` times as long."""

    kind: Literal["slow"]
    type: str
    factor: PositiveFloat


class Crash(_Rule):
    """The engine is killed (SIGKILL) while the operation after `after` others is under way; of
    those alone whose resource type matches.

    A call that was `taken` the cloud goes on with by itself; one that was `lost` never reached it.
    """

    kind: Literal["crash"]
    type: str = "*"
    after: NonNegativeInt
    call: Literal["taken", "lost"] = "taken"


class Preempt(_Rule):
    """The nodes of the spot pools whose names match are gone, until a run without the rule."""

    kind: Literal["preempt"]
    pool: str
    cluster: str = "*"

    def hits(self, pool: str, cluster: str) -> bool:
        return fnmatchcase(pool, self.pool) and fnmatchcase(cluster, self.cluster)


class FailJob(_Rule):
    """The RayJob or JobSet of that name has failed before the run, and has no retries left."""

    kind: Literal["fail-job"]
    job: str


_AnyRule = Annotated[
    Fail | Stockout | Degraded | Slow | Crash | Preempt | FailJob, Field(discriminator="kind")
]


class Faults(BaseModel):
    """Every fault rule of one run, with how often each kind of operation was seen."""

    model_config = ConfigDict(extra="forbid")

    rules: tuple[_AnyRule, ...] = ()
    _seen: Counter[tuple[str, str]] = Counter()

    @staticmethod
    def load(path: Path | None) -> Faults:
        if path is None:
            return Faults()
        try:
            return Faults.model_validate(read_yaml(path) or {})
        except FileNotFoundError:
            raise UserError(f"--fault: {path}: there is no such file") from None
        except (ValidationError, yaml.YAMLError) as error:
            raise UserError(f"--fault: {path}: {error}") from None

    def started(self, token: str, operation: str) -> Crash | None:
        """Count an operation; the rule that kills the engine in it, if one does."""
        self._seen[token, operation] += 1
        crashes = (
            rule for rule in self.rules if isinstance(rule, Crash) and fnmatchcase(token, rule.type)
        )
        return next((rule for rule in crashes if self._started(rule.type) == rule.after + 1), None)

    def failing(self, token: str, operation: str) -> Fail | None:
        """The rule by which the operation that was counted last fails."""
        fails = (rule for rule in self.rules if isinstance(rule, Fail))
        return next(
            (
                rule
                for rule in fails
                if (rule.type, rule.operation) == (token, operation)
                and self._seen[token, operation] == rule.nth
            ),
            None,
        )

    def _started(self, pattern: str) -> int:
        return sum(seen for (token, _), seen in self._seen.items() if fnmatchcase(token, pattern))

    def slowdown(self, token: str) -> float:
        factor = 1.0
        for rule in self.rules:
            if isinstance(rule, Slow) and rule.type == token:
                factor *= rule.factor
        return factor

    @property
    def stockouts(self) -> list[Stockout]:
        return [rule for rule in self.rules if isinstance(rule, Stockout)]

    @property
    def preemptions(self) -> list[Preempt]:
        return [rule for rule in self.rules if isinstance(rule, Preempt)]

    @property
    def failed_jobs(self) -> list[str]:
        return [rule.job for rule in self.rules if isinstance(rule, FailJob)]

    def stockout(self, machine_type: str, zone: str) -> Stockout | None:
        """The rule by which machines of that type are missing in that zone."""
        asked = machine_type, zone
        return next((it for it in self.stockouts if (it.machine_type, it.zone) == asked), None)

    def degraded(self, cluster: str) -> Degraded | None:
        """The rule by which a cluster of that name is made in an error state."""
        rules = (rule for rule in self.rules if isinstance(rule, Degraded))
        return next((rule for rule in rules if rule.hits(cluster)), None)
