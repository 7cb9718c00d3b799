"""A config that the program would refuse is refused before the engine starts.

The engine would plan the stack itself first, and report the program's error twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from sandbox.engine import RunResult, Verb
from sandbox.events import EngineReport
from sandbox.schedule import CriticalPath
from sandbox.workspace import PROJECT, SANDBOX_PROJECT, Workspace
from stacks.config import PLACES, ConfigError, object_of, validate
from stacks.names_beside import names_beside
from stacks.plan import Plan
from stacks.tokens import SECRETS


def refused(workspace: Workspace, verb: Verb, secrets: Mapping[str, str]) -> RunResult | None:
    """The failed run, with all mistakes in one report; None where the config is right, or where
    the program does not run. `secrets` are those that are still to be set."""
    if verb not in ("preview", "up"):
        return None
    try:
        planned(workspace, secrets)
    except ConfigError as error:
        return RunResult(
            operation=verb,
            stack=workspace.stack,
            ok=False,
            report=EngineReport(diagnostics=[str(error)]),
            makespan_s=0,
            sequential_s=0,
            critical=CriticalPath((), 0),
            wall_s=0,
        )
    return None


def planned(workspace: Workspace, secrets: Mapping[str, str]) -> Plan:
    """The plan that the program makes of the config. Raises ConfigError."""
    config = workspace.config()
    key = f"{PROJECT}:stack"
    stack = config.get(key)
    # As the program has it: Pulumi hands an object over as JSON.
    raw = object_of(None if stack is None else json.dumps(stack, default=str))
    return validate(
        {**raw, **{key: config.get(f"gcp:{key}") for key in PLACES}},
        secrets_set=frozenset(it for it in SECRETS if f"{PROJECT}:{it}" in {**config, **secrets}),
        beside=names_beside(
            workspace.project_folder,
            workspace.stack,
            key,
            config.get("gcp:project"),
            SANDBOX_PROJECT,
        ),
    )
