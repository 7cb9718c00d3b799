"""The project: its name, its folder and the stacks that have a config in it."""

from __future__ import annotations

from pathlib import Path

PROJECT = "gke-ai-stacks"
PROJECT_FOLDER = Path(__file__).resolve().parent.parent


def stack_names(folder: Path = PROJECT_FOLDER) -> list[str]:
    """Every stack that has a config file."""
    files = folder.glob("Pulumi.*.yaml")
    return sorted(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in files)
