"""Stacks of configs that a test writes, beside each other on one sandbox."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from cli.project import PROJECT, PROJECT_FOLDER
from sandbox.workspace import Workspace
from tests.stacks.conftest import Sandbox

REGION, ZONE = "us-central1", "us-central1-a"
_FILES = ("Pulumi.yaml", "__main__.py")


def config_sandbox(folder: Path, **stack: Any) -> Sandbox:
    """The stack of that `name`; all in one folder share a simulated cloud."""
    return Sandbox(config_workspace(folder, **stack))


def config_workspace(folder: Path, **stack: Any) -> Workspace:
    project = folder / "project"
    project.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        shutil.copyfile(PROJECT_FOLDER / name, project / name)
    config = {"gcp:region": REGION, "gcp:zone": ZONE, f"{PROJECT}:stack": stack}
    file = project / f"Pulumi.{stack['name']}.yaml"
    file.write_text(yaml.safe_dump({"config": config}))
    return Workspace(folder / "sandbox", stack["name"], project)


def have(sandbox: Sandbox, folder: Path, *existing: dict[str, Any]) -> None:
    """Put resources of no stack into the simulated cloud."""
    given = folder / "given.yaml"
    given.write_text(yaml.safe_dump({"existing": list(existing)}))
    with sandbox.workspace.lock():
        sandbox.workspace.use_project(given)


def of_no_stack(sandbox: Sandbox) -> dict[str, Any]:
    """The entries of what no stack made, as the simulated cloud's file has them."""
    resources = json.loads(sandbox.workspace.cloud_file.read_text())["resources"]
    return {key: it for key, it in resources.items() if not it["urns"]}
