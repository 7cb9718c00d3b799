"""How the sandbox runs a program: in this process, with no search for garbage in the meantime."""

from __future__ import annotations

import gc
from pathlib import Path

import pulumi
import pytest

from sandbox.program import load_program


@pytest.mark.parametrize("end", ["", "raise SystemExit(32)"])
def test_garbage_is_looked_for_again_when_the_program_has_ended(tmp_path: Path, end: str) -> None:
    program = (
        f"import gc\nopen({str(tmp_path / 'said')!r}, 'w').write(str(gc.isenabled()))\n{end}\n"
    )
    (tmp_path / "__main__.py").write_text(program)
    assert gc.isenabled()
    try:
        load_program(tmp_path)
    except pulumi.RunError:
        assert end
    assert (tmp_path / "said").read_text() == "False"
    assert gc.isenabled()
    gc.unfreeze()
