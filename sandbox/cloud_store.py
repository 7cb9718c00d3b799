"""The simulated cloud in its file, which it is kept in between commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from catalog import Catalog
from cli.errors import UserError
from sandbox.cloud.cloud import Cloud, State
from sandbox.cloud.reservations import Reservations
from sandbox.disk import replace_file
from sandbox.faults import Faults


def cloud_at(
    path: Path,
    catalog: Catalog,
    faults: Faults | None = None,
    reservations: Reservations | None = None,
    *,
    real_control_planes: bool = False,
    has_defaults: bool = False,
) -> Cloud:
    """The cloud as the last command left it; changes are written, and nothing else is."""

    def keep(state: State) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(state))

    cloud = Cloud(
        catalog,
        _read(path) if path.exists() else None,
        faults,
        reservations,
        keep=keep,
        real_control_planes=real_control_planes,
        has_defaults=has_defaults,
    )
    cloud.fill_in()
    return cloud


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UserError(
            f"{path.parent.name}/{path.name}: the simulated cloud cannot be read, the file was "
            f"changed or cut; nearest: delete the folder {path.parent.name}, and begin again"
        )
    return found
