"""What the packages of the pinned versions take. `make test-workloads` installs them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml

from tests.conftest import ROOT
from tests.workloads.launchers.ray_head import Head, started

OPTIONS = ROOT / ".venv-workloads" / "options"
TABLES = Path(__file__).parents[1] / "data"


def table(name: str) -> dict[str, Any]:
    return yaml.safe_load((TABLES / name).read_text(encoding="utf-8"))


def leaves(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every option by its dotted name, with its default."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _config(path: str) -> dict[str, Any]:
    return yaml.safe_load((OPTIONS / path).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def verl_options() -> dict[str, Any]:
    """All of PPO's, composed; Hydra refuses any other."""
    return dict(leaves(_config("verl/trainer/config/_generated_ppo_trainer.yaml")))


@pytest.fixture(scope="session")
def maxtext_options() -> dict[str, Any]:
    return _config("maxtext/configs/base.yml")


@pytest.fixture(scope="session")
def ray_head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Head]:
    with started(tmp_path_factory.mktemp("ray")) as head:
        yield head


class DryRun(Protocol):
    def __call__(self, script: str, *arguments: str, **environment: str) -> str: ...


@pytest.fixture(scope="session")
def dry_run() -> DryRun:
    """What a script of `workloads` prints that it would run."""

    def run(script: str, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            ["bash", str(ROOT / "workloads" / script), *arguments],
            env={"PATH": os.environ["PATH"], "DRY_RUN": "1"} | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    return run
