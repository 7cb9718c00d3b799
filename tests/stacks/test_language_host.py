"""A real run of the CLI starts the program by the host that is built beside it, whatever the PATH
has of that name. `make stack-tools` builds both; without them there is nothing to show."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cli.pulumi_cli import BUILT
from tests.conftest import ROOT

BIN = BUILT / "bin"
HOST = "pulumi-language-python"

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not (BIN / HOST).exists(), reason="make stack-tools"),
]


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A host that leaves a trace where it is run, in a folder for the PATH."""
    folder = tmp_path / "planted"
    folder.mkdir()
    program = folder / HOST
    program.write_text(f"#!/bin/sh\necho ran > '{folder}/ran'\nexit 1\n")
    program.chmod(0o700)
    return folder


def preview(
    folder: Path, first_on_path: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """`pulumi preview` of a program that has one output, in a backend of its own."""
    program = folder / "program"
    program.mkdir()
    options = f"{{toolchain: pip, virtualenv: {ROOT / '.venv'}}}"
    project = f"name: test\nruntime: {{name: python, options: {options}}}\n"
    (program / "Pulumi.yaml").write_text(project)
    (program / "__main__.py").write_text(
        "import pulumi\n\npulumi.export('said', 'by-the-program')\n"
    )
    own = {
        "PATH": f"{first_on_path}{os.pathsep}{os.environ['PATH']}",
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": program.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [BIN / "pulumi", *words, "--stack", "test", "--non-interactive"],
            cwd=program,
            env={**os.environ, **own, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    call("stack", "init")
    return call("preview")


def test_the_program_is_started_by_the_host_beside_the_cli(tmp_path: Path, planted: Path) -> None:
    done = preview(tmp_path, planted, PULUMI_IGNORE_AMBIENT_PLUGINS="true")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "by-the-program" in done.stdout
    assert not (planted / "ran").exists()


def test_without_the_variable_that_the_workflows_set_the_path_comes_first(
    tmp_path: Path, planted: Path
) -> None:
    assert preview(tmp_path, planted).returncode != 0
    assert (planted / "ran").exists()
