"""The engine as it runs on Google Cloud: nobody looks first, nothing is added to what it says, and
a destroy is without the program."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from sandbox.engine import Engine, RunOptions, RunResult, Verb
from sandbox.faults import Faults
from tests.stacks.conftest import Sandbox


def plain_destroy(
    sandbox: Sandbox, only: Mapping[str, Any] | None = None, faults: Faults | None = None
) -> RunResult:
    """`only` are the targets, as `pulumi destroy --target` takes them."""
    return _plain(sandbox, "destroy", only, faults)


def plain_up(sandbox: Sandbox, faults: Faults) -> RunResult:
    return _plain(sandbox, "up", None, faults)


def _plain(
    sandbox: Sandbox, verb: Verb, only: Mapping[str, Any] | None, faults: Faults | None
) -> RunResult:
    secrets = sandbox.workspace.prepare([])
    options = RunOptions(
        math.inf, faults or Faults(), lambda _: None, real_kube=sandbox.real, only=only or {}
    )
    with sandbox.workspace.lock():
        return Engine(sandbox.workspace, secrets).run(verb, options)


def on_record(sandbox: Sandbox) -> dict[str, str]:
    """URNs by the names of resources."""
    (file,) = sandbox.workspace.state_files()
    resources = json.loads(file.read_bytes())["checkpoint"]["latest"]["resources"]
    return {it["urn"].rpartition("::")[2]: it["urn"] for it in resources}


def alone(sandbox: Sandbox, name: str) -> dict[str, Any]:
    """A run of one resource and of what needs it."""
    return {"target": [on_record(sandbox)[name]], "target_dependents": True}
