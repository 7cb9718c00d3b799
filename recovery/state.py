"""A stack's state as `pulumi stack export` writes it: read with care, and kept beside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from recovery.errors import RecoveryError
from recovery.state_shapes import StateError, checked

Deployment = dict[str, Any]


def read(text: str) -> dict[str, Any]:
    """The exported object; its `deployment` holds resources and pending operations."""
    try:
        state = json.loads(text)
    # One that is nested deeper than it can be read is a RecursionError.
    except (ValueError, RecursionError) as error:
        raise _not_a_state(str(error)) from None
    deployment = state.get("deployment") if isinstance(state, dict) else None
    if not isinstance(deployment, dict):
        raise _not_a_state("it has no deployment; was the stack ever up?")
    operations = _objects(deployment, "pending_operations")
    if not all(isinstance(it.get("type"), str) for it in operations):
        raise _not_a_state("a pending operation in it has no type")
    try:
        checked(deployment.get("resources"))
        checked([it.get("resource") for it in operations], "pending")
    except StateError as error:
        raise _not_a_state(str(error)) from None
    return state


def _objects(deployment: Deployment, key: str) -> list[dict[str, Any]]:
    found = deployment.get(key) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise _not_a_state(f"its {key} are no list of objects")
    return found


def _not_a_state(why: str) -> RecoveryError:
    return RecoveryError(f"what the CLI exports is not a state: {why}")


def resources(deployment: Deployment) -> Iterator[dict[str, Any]]:
    yield from deployment.get("resources") or []


def back_up(text: str, stack: str) -> Path:
    """Keep the state as it was, in a file of its own that nobody else can read."""
    now = datetime.now().strftime("%Y%m%dT%H%M%S.%f")
    file = Path(f"{stack.replace('/', '.')}-state-{now}.json")
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(text)
    except OSError as error:
        raise RecoveryError(
            f"{file}: the state could not be kept, so nothing was changed: {error.strerror}"
        ) from None
    return file
