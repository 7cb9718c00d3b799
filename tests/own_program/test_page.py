"""The test on the page does what the page says, where packages of the names of ours are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.own_program.programs import ONLY_KUBERNETES, written
from tests.pages.blocks import blocks_of


@pytest.mark.thorough
def test_the_test_on_the_page_passes(tmp_path: Path) -> None:
    (block,) = (it for it in blocks_of("docs/own-program.md") if it.language == "py")
    written(ONLY_KUBERNETES, tmp_path / "my-program")
    written({"test_it.py": f"import stacks\n\n\n{block.text}"}, tmp_path)
    written({"conftest.py": 'pytest_plugins = ["sandbox.pytest_plugin"]\n'}, tmp_path)
    written({"stacks.py": "", "components/__init__.py": ""}, tmp_path)
    start = f"import sys; sys.path.insert(1, {str(ROOT)!r}); import pytest; sys.exit(pytest.main())"
    words = [sys.executable, "-c", start, "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
