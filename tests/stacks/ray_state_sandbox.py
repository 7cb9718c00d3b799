"""The sandbox of a program that no config of the stacks has: tests/stacks/ray_state."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.engine import Engine, RunOptions, RunResult, Verb
from sandbox.faults import Faults
from sandbox.workspace import Workspace
from tests.stacks.conftest import Sandbox

FOLDER = Path(__file__).parent / "ray_state"
STACK = "ray-state"


def workspace(root: Path) -> Workspace:
    return Workspace(root, STACK, FOLDER)


def with_values(**values: object) -> list[str]:
    """Overrides of the program's config."""
    return [f"gke-ai-stacks:{name}={value}" for name, value in values.items()]


@dataclass(frozen=True)
class RayState(Sandbox):
    """Without the check of a stack's config, which the program has none of."""

    told: list[str] = field(default_factory=list[str])

    def run(
        self,
        verb: Verb,
        *overrides: str,
        faults: Faults | None = None,
        project: Path | None = None,
    ) -> RunResult:
        assert project is None
        return run_program(self.workspace, verb, overrides, self.told, faults=faults)


def run_program(
    where: Workspace,
    verb: Verb,
    overrides: tuple[str, ...],
    told: list[str],
    *,
    faults: Faults | None = None,
    real_kube: bool = False,
) -> RunResult:
    """Runs a verb; what the engine says goes to `told`."""
    options = RunOptions(
        speed=math.inf, faults=faults or Faults(), on_output=told.append, real_kube=real_kube
    )
    with where.lock():
        return Engine(where, where.prepare(overrides)).run(verb, options)
