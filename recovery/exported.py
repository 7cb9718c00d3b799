"""The file that `pulumi stack export` wrote: read with care, replaced in one step."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any


class NotAStateError(Exception):
    """The file is not what `pulumi stack export` writes."""


def read(file: Path) -> dict[str, Any]:
    """The exported object; its `deployment` holds resources and pending operations."""
    try:
        state = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotAStateError(str(error)) from None
    deployment = state.get("deployment") if isinstance(state, dict) else None
    if not isinstance(deployment, dict):
        raise NotAStateError("it has no deployment")
    resources = _objects(deployment, "resources")
    operations = _objects(deployment, "pending_operations")
    for one in [*resources, *(operation.get("resource") for operation in operations)]:
        if not isinstance(one, dict) or not {"urn", "type"} <= one.keys():
            raise NotAStateError("a resource in it has no URN or no type")
    if not all("type" in operation for operation in operations):
        raise NotAStateError("a pending operation in it has no type")
    return state


def _objects(deployment: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = deployment.get(key) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise NotAStateError(f"its {key} are no list of objects")
    return found


def replace(file: Path, state: dict[str, Any]) -> Path:
    """Write the state in place of the file; returns where the old one is kept."""
    draft, backup = file.with_name(f"{file.name}.draft"), file.with_name(f"{file.name}.bak")
    try:
        draft.write_text(json.dumps(state, indent=2), encoding="utf-8")
        shutil.copymode(file, draft)
        shutil.copy2(file, backup)
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    return backup
