"""A config that the program would refuse is refused before the engine starts.

The engine would plan the stack itself first, and report the program's error twice (pulumi 3.272
pulumi/automation/_server.py, 2026-11-22).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cli.project import PROJECT
from sandbox.engine import RunResult, Verb
from sandbox.events import EngineReport
from sandbox.schedule import CriticalPath
from sandbox.secrets import IN_PLAIN, UNREADABLE
from sandbox.workspace import SANDBOX_PROJECT, Workspace
from stacks.commands import about
from stacks.config import PLACES, ConfigError, object_of, of_keys, secret_object, validate
from stacks.names_beside import names_beside
from stacks.plan import Plan
from stacks.standing import NOTHING, Standing
from stacks.tokens import SECRETS
from stacks.tried import with_value


def refused(workspace: Workspace, verb: Verb, secrets: Mapping[str, str]) -> RunResult | None:
    """The failed run, with all mistakes in one report; None where the config is right, or where
    the program does not run. `secrets` are those that are still to be set."""
    if verb not in ("preview", "up"):
        return None
    try:
        planned(workspace, secrets)
    except ConfigError as error:
        return not_run(workspace, verb, str(error))
    return None


def not_run(workspace: Workspace, verb: Verb, reason: str) -> RunResult:
    """A run that failed before the engine did anything."""
    return RunResult(
        operation=verb,
        stack=workspace.stack,
        ok=False,
        report=EngineReport(diagnostics=[reason]),
        makespan_s=0,
        sequential_s=0,
        critical=CriticalPath((), 0),
        wall_s=0,
    )


def planned(
    workspace: Workspace, secrets: Mapping[str, str], changes: Mapping[str, Any] | None = None
) -> Plan:
    """The plan that the program makes of the config, with other values of the stack's where
    `changes` has them by path. Raises ConfigError."""
    with about(workspace.stack):
        return _planned(workspace, secrets, changes or {})


def _planned(workspace: Workspace, secrets: Mapping[str, str], changes: Mapping[str, Any]) -> Plan:
    config = workspace.config()
    for path, value in changes.items():
        changed = with_value(workspace.stack_object(), path, value)
        config = {**config, f"{PROJECT}:stack": changed}
    lines = list(_unread(config))
    if lines and f"{PROJECT}:stack" not in config:
        # One of these keys is meant to be it.
        raise ConfigError(lines)
    try:
        plan = _plan(workspace, config, secrets)
    except ConfigError as error:
        raise ConfigError([*lines, *error.lines]) from None
    if lines:
        raise ConfigError(lines)
    return plan


def _unread(config: Mapping[str, Any]) -> Iterator[str]:
    """What the program refuses of the config, and what the sandbox cannot read of it."""
    plain = [it for it in SECRETS if config.get(f"{PROJECT}:{it}") == IN_PLAIN]
    yield from of_keys(config, PROJECT, plain)


def _holds(value: Any, wanted: str) -> bool:
    if isinstance(value, dict):
        return any(_holds(it, wanted) for it in value.values())
    if isinstance(value, list):
        return any(_holds(it, wanted) for it in value)
    return value == wanted


def _plan(workspace: Workspace, config: Mapping[str, Any], secrets: Mapping[str, str]) -> Plan:
    key = f"{PROJECT}:stack"
    stack = config.get(key)
    if unread := [it for it in PLACES if config.get(f"gcp:{it}") == UNREADABLE]:
        raise ConfigError(
            [
                f"gcp:{it}: encrypted, and the sandbox has no key to it; nearest: "
                f"--set gcp:{it}={it.upper()}"
                for it in unread
            ]
        )
    if _holds(stack, UNREADABLE):
        raise ConfigError([secret_object()])
    # As the program has it: Pulumi hands an object over as JSON.
    raw = object_of(stack if stack is None or isinstance(stack, str) else json.dumps(stack))
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
        standing=_standing(workspace),
    )


def _standing(workspace: Workspace) -> Standing:
    """What the program reads of the engine's record."""
    found = workspace.deployment().get("resources") or ()
    resources = {it["urn"]: it for it in found if not it.get("delete")}
    if not resources:
        return NOTHING
    # It brings Pulumi's SDK, which few commands have a use for.
    from stacks.on_record import Record
    from stacks.one_run import standing

    return standing(Record(resources))
