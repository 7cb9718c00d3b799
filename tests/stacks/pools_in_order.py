"""The stack of the pages whose workers run on reserved machines or on spot, and where they
are."""

import json
from pathlib import Path
from typing import Any

import yaml

from sandbox.workspace import Workspace
from tests.pages.blocks import shown_config
from tests.stacks.config_sandbox import ZONE, config_workspace
from tests.stacks.conftest import Sandbox
from tests.stacks.test_combinations import reservations

# What has all GPUs of the reserved machines.
_FILLER = {
    "type": "script",
    "command": ["sleep", "infinity"],
    "image": "python:3.12-slim",
    "nodes": 2,
    "pools": ["reserved", "spot"],
    "queue": "gpus",
    "requests": {"cpu": 1, "memory_gib": 2},
}
# For a run: the config's other values stay.
FILLED = f"jobs={json.dumps({'filler': _FILLER})}"
WITHOUT_RAY = "ray=null"
_PLACES = frozenset({"project", "region", "zone"})


def stack() -> dict[str, Any]:
    shown = {key: it for key, it in shown_config("either").items() if key not in _PLACES}
    return {**shown, "deletion_protection": False}


def workspace(folder: Path) -> Workspace:
    """With the reservation that the stack names."""
    made = config_workspace(folder, **stack())
    given = folder / "project.yaml"
    given.write_text(yaml.safe_dump(reservations({"zone": ZONE, **stack()})))
    with made.lock():
        made.use_project(given)
    return made


def pools_of_workers(sandbox: Sandbox) -> list[str]:
    """The pool of each worker that has a node."""
    return sorted(
        pod.node.removeprefix("gke-either-").rpartition("-")[0]
        for pod in sandbox.pods()
        if "worker" in pod.name and pod.node
    )
