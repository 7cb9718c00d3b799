"""A program that is no stack of ours, under the real engine on a sandbox of its own."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import yaml

from cli.project import PROJECT, PROJECT_FOLDER
from sandbox.engine import Engine, RunOptions, RunResult, Verb
from sandbox.faults import Faults
from sandbox.workspace import Workspace


class ProgramSandbox:
    """Runs `program` of a module as the stack; programs in one folder are in one project. `said`
    is what the engine has printed."""

    def __init__(self, folder: Path, stack: str, module: str, function: str = "program") -> None:
        self._program = folder / f"{stack}-program"
        self._program.mkdir()
        shutil.copyfile(PROJECT_FOLDER / "Pulumi.yaml", self._program / "Pulumi.yaml")
        main = f"from {module} import {function}\n\n{function}()\n"
        (self._program / "__main__.py").write_text(main)
        self.said: list[str] = []
        self.workspace = Workspace(folder / "sandbox", stack, self._program)

    def run(self, verb: Verb, **config: str) -> RunResult:
        values = {f"{PROJECT}:{key}": value for key, value in config.items()}
        file = self._program / self.workspace.source.name
        file.write_text(yaml.safe_dump({"config": values}))
        with self.workspace.lock():
            self.workspace.prepare([])
            options = RunOptions(speed=math.inf, faults=Faults(), on_output=self.said.append)
            return Engine(self.workspace).run(verb, options)
