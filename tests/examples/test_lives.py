"""The programs of examples/ on the sandbox, by the real engine, in a project with no API on: a
preview, an `up` that makes what the preview said, an empty preview, and a `destroy` that leaves
nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.pytest_plugin import ProgramSandbox
from tests.examples.runs import EXAMPLES, PROGRAMS

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_lives(
    program: str, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The sandbox runs the program by this Python, which has no library of that name.
    monkeypatch.setenv("PYTHONPATH", str(library))
    sandbox = ProgramSandbox(EXAMPLES / program, tmp_path / "sandbox")
    planned = sandbox.preview().changed
    up = sandbox.up()
    assert up.changed == planned
    assert set(planned.values()) == {"create"}
    assert all(up.outputs.values())
    assert sandbox.preview().changed == {}
    gone = sandbox.destroy()
    assert gone.changed.keys() == planned.keys()
    assert not gone.cloud
