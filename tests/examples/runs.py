"""What programs that use the library register."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kube.objects import normalized
from tests.conftest import ROOT
from tests.wire import revealed

EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(it.parent.name for it in EXAMPLES.glob("*/__main__.py"))


@dataclass(frozen=True)
class Registered:
    type: str
    name: str
    parent: str
    custom: bool
    provider: str
    inputs: dict[str, Any]


@dataclass(frozen=True)
class Run:
    """By program its resources, and by name the modules of the process."""

    programs: dict[str, list[Registered]]
    modules: list[str]

    def of_type(self, program: str, end: str) -> list[Registered]:
        return [it for it in self.programs[program] if it.custom and it.type.endswith(end)]


def run_of(programs: Sequence[Path], library: Path) -> Run:
    """All in one process, for what takes time is to import the SDKs."""
    runner = Path(__file__).with_name("under_mocks.py")
    done = subprocess.run(
        [sys.executable, "-P", str(runner), *map(str, programs)],
        cwd=library,
        env={**os.environ, "PYTHONPATH": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    return Run(
        programs={
            Path(it).name: [Registered(**normalized(revealed(one))) for one in made]
            for it, made in said["programs"].items()
        },
        modules=said["modules"],
    )
