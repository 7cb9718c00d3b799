"""Dashboards, whose ids are Google's choice: found by their titles, through the user's `gcloud`.

hashicorp/terraform-provider-google-beta, resource_monitoring_dashboard.go: the id is the `name` of
the answer to the create (93c65b2d60, 2026-08-21).
"""

from __future__ import annotations

import json
import shlex
import subprocess

from recovery.errors import RecoveryError
from recovery.pending import Orphan

_DASHBOARD = "gcp:monitoring/dashboard:Dashboard"


def look_up(orphan: Orphan) -> str | None:
    """The id of what a killed create made, or None where it made nothing."""
    title = _title(orphan)
    if title is None:
        raise _undecided(orphan, "nothing here can look it up: see in the cloud console")
    command = ["gcloud", "monitoring", "dashboards", "list", "--format=json(name,displayName)"]
    command.append(f"--project={orphan.inputs.get('project', 'PROJECT')}")
    shown = f'the dashboard "{title}" is to be found by: {shlex.join(command)}'
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise _undecided(orphan, f"there is no gcloud on PATH; {shown}") from None
    if done.returncode:
        raise _undecided(orphan, f"{done.stderr.strip()}\n{shown}")
    found = [one["name"] for one in json.loads(done.stdout) if one.get("displayName") == title]
    if len(found) > 1:
        raise _undecided(orphan, f'several are called "{title}": {", ".join(found)}')
    return found[0] if found else None


def _title(orphan: Orphan) -> str | None:
    if orphan.type != _DASHBOARD:
        return None
    try:
        return str(json.loads(orphan.inputs["dashboardJson"])["displayName"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _undecided(orphan: Orphan, why: str) -> RecoveryError:
    again = shlex.quote(f"{orphan.urn}=ID")
    return RecoveryError(
        f"the cloud chose the id of {orphan.urn}: {why}\n"
        f"then run this again with --id {again}, with no ID where it is not there"
    )
