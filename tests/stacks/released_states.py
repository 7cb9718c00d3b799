"""States of the presets as releases left them, which every later release previews unchanged.

`python -m tests.stacks.released_states DATE` brings every preset up in a sandbox and writes, by
stack, the config file and the engine's state as `pulumi stack export` has it. Whatever the engine
encrypts is the sandbox's own placeholder there, so it stands in plain text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from cli.project import PROJECT, stack_names
from cli.pulumi_cli import binary
from sandbox.faults import Faults
from sandbox.folder import claim
from sandbox.run import run
from sandbox.workspace import Workspace
from tests.conftest import ROOT

FOLDER = Path(__file__).parent / "released"
# What a release has left is written once.
DIGESTS = FOLDER / "digests.yaml"


@dataclass(frozen=True)
class ReleasedState:
    """One preset as one release left it."""

    file: Path

    def __str__(self) -> str:
        return f"{self.stack}-{self.file.parent.name}"

    @property
    def stack(self) -> str:
        return self.file.name.removesuffix(".json.gz")

    def unpack(self, folder: Path) -> Workspace:
        """A sandbox in which this program's stack has the release's config and state."""
        content = json.loads(gzip.decompress(self.file.read_bytes()))
        project = folder / "project"
        project.mkdir()
        for name in ("Pulumi.yaml", "__main__.py"):
            (project / name).write_bytes((ROOT / name).read_bytes())
        shutil.copytree(ROOT / "workloads", project / "workloads")
        (project / f"Pulumi.{self.stack}.yaml").write_text(content["config"])
        workspace = Workspace(folder / "sandbox", self.stack, project)
        claim(workspace.root)
        states = workspace.backend / ".pulumi" / "stacks" / PROJECT
        states.mkdir(parents=True)
        stack = f"organization/{PROJECT}/{self.stack}"
        checkpoint = {"stack": stack, "latest": content["deployment"]}
        (states / f"{self.stack}.json").write_text(
            json.dumps({"version": content["version"], "checkpoint": checkpoint})
        )
        return workspace


def released_states() -> list[ReleasedState]:
    return [ReleasedState(file) for file in sorted(FOLDER.glob("*/*.json.gz"))]


def digests() -> dict[str, str]:
    """The SHA-256 of each file, by its path in the folder."""
    files = (it.file for it in released_states())
    return {str(it.relative_to(FOLDER)): sha256(it.read_bytes()).hexdigest() for it in files}


def record(stack: str, folder: Path, into: Path) -> None:
    workspace = Workspace(folder / stack, stack)
    result = run(workspace, "up", math.inf, [], Faults())
    assert result.ok, result.report.diagnostics
    exported = subprocess.run(
        [binary(), "stack", "export", "--show-secrets", "--stack", stack],
        cwd=workspace.work_dir,
        env=workspace.cli_environment,
        capture_output=True,
        text=True,
        check=True,
    )
    content = {"config": workspace.source.read_text(), **_undated(json.loads(exported.stdout))}
    text = json.dumps(content, sort_keys=True)
    (into / f"{stack}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


# What a run has of its moment and of the machine's folders.
OF_THE_RUN = frozenset({"created", "modified", "sourcePosition", "stackTrace"})


def _undated(exported: dict[str, Any]) -> dict[str, Any]:
    """Without what a run has of its own and the salt, so that two runs write the same."""
    deployment = exported["deployment"]
    resources = [
        {key: value for key, value in it.items() if key not in OF_THE_RUN}
        for it in deployment["resources"]
    ]
    return {"version": exported["version"], "deployment": {"resources": resources}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("date", help="of the release, as in 2026-11-27")
    target = FOLDER / parser.parse_args().date
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as sandboxes:
        for each in stack_names():
            record(each, Path(sandboxes), target)
    DIGESTS.write_text(yaml.safe_dump(digests()))
