"""A reader who does what a page says: a fresh copy of the project, and each command in its order.

Our own commands run as they are, with no waiting for simulated time. `pulumi` runs on a backend of
files: what needs no provider in the real CLI, and `preview`, `up`, `refresh` and `destroy` on the
sandbox, whose engine is the real one. `vi` writes what the page shows.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from aistack.exit_codes import ExitCode
from cli.pulumi_cli import binary
from sandbox.engine import Engine, RunOptions
from sandbox.faults import Faults
from sandbox.workspace import PASSPHRASE, Workspace
from tests.conftest import PROJECT, ROOT
from tests.own_program.programs import ONLY_KUBERNETES, written
from tests.pages.blocks import Block, Command, blocks_of
from tests.pages.parsed import (
    NotACommandError,
    parse_aistack,
    parse_foreign,
    parse_pulumi,
)
from tests.pages.ways import VALUES, Way, fill_in, way_of
from tests.stacks.conftest import Sandbox
from tests.stacks.test_recovery_command import recover

# What the reader of a page did before: stacks that are up, one whose `up` was killed, a commit.
BEFORE: dict[str, dict[str, Any]] = {
    "docs/aistack.md": {"logged": "mine"},
    "docs/b200-lustre.md": {"up": ["b200-lustre"]},
    "docs/dev.md": {"up": ["dev"]},
    "docs/clean-up.md": {"up": ["dev"], "begun": ["dev"]},
    "docs/lost-work.md": {"up": ["dev", "b200-lustre"]},
    "docs/outputs.md": {"up": ["dev"]},
    "docs/own-program.md": {"program": "my-program"},
    "docs/pull-requests.md": {"git": True},
    "docs/recovery.md": {"killed": "dev"},
}
_SECRET = "hf_of_a_reader"
_CLONED = f"""set -e
printf '/.venv\\n/.tools\\n/.backend\\n' >> .gitignore
export GIT_AUTHOR_NAME=reader GIT_AUTHOR_EMAIL=reader@example.com
export GIT_COMMITTER_NAME=reader GIT_COMMITTER_EMAIL=reader@example.com
git init -q -b main
git add -A
git commit -qm base
git init -q --bare ../origin
git remote add origin ../origin
git push -q origin main
sed -i 's/max: 1}}/max: 2}}/' Pulumi.dev.yaml
git commit -qam theirs
git push -q origin HEAD:refs/pull/{VALUES["NUMBER"]}/head
git reset -q --hard origin/main
"""
# To every question.
_AGREES = "yes\n" * 3
# That a job does not fit is an answer, too.
_OR_A_VERDICT = (
    f" || case $? in {ExitCode.DOES_NOT_FIT.value}|{ExitCode.MAY_NOT_FIT.value}) ;; "
    "*) false ;; esac"
)
_ENGINE = ("preview", "up", "refresh", "destroy")
_SERVED = frozenset({"stack", "s", "yes", "y", "event-log"})
# A run that is killed while it makes the cluster, whose name is none of the page's.
_KILLED = {"rules": [{"kind": "crash", "after": 3, "call": "taken"}]}


@dataclass
class Reader:
    """`said` is what all commands have printed; `at` is where the block's last `cd` led."""

    page: str
    folder: Path
    said: list[str] = field(default_factory=list[str])
    at: Path = field(init=False)
    _block: Block | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.at = self.folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in filter(None, listed.stdout.split("\0")):
            if (source := ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, self.folder / name)
        (self.folder / "train.py").write_text("print()\n")
        (self.folder / ".backend").mkdir()
        self._set_up(self.folder)

    def _set_up(self, folder: Path) -> None:
        """What `make setup` would leave in a checkout."""
        (folder / ".tools").symlink_to(ROOT / ".tools")
        (folder / ".venv" / "bin").mkdir(parents=True)
        for name, lines in _PROGRAMS.items():
            program = folder / ".venv" / "bin" / name
            program.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
            program.chmod(0o755)
        (folder / ".venv" / ".ready").touch()

    def prepare(
        self,
        *,
        up: Sequence[str] = (),
        begun: Sequence[str] = (),
        killed: str = "",
        git: bool = False,
        logged: str = "",
        program: str = "",
    ) -> None:
        """What the reader of the page did before it; `begun` has a `pulumi stack init`; `logged`
        was up, and its log is kept. With `git`, the folder is a clone, and at its origin somebody
        has opened a pull request. In the folder `program` is one of the reader's own."""
        if program:
            written(ONLY_KUBERNETES, self.folder / program)
        if git:
            self._bash(_CLONED)
        if logged:
            text = (
                (self.folder / "Pulumi.dev.yaml")
                .read_text()
                .replace("name: dev", f"name: {logged}")
            )
            (self.folder / f"Pulumi.{logged}.yaml").write_text(text)
            self._logged("up", logged, "up.json")
            self._bash(f".venv/bin/aistack sandbox destroy --stack {logged}")
        for stack in begun:
            words = ["pulumi", "stack", "init", stack]
            self._cli(words, self.folder, f"file://{self.folder}/.backend")
        for stack in up:
            self._bash(f".venv/bin/aistack sandbox up --stack {stack}")
        if killed:
            (self.folder / "killed.yaml").write_text(yaml.safe_dump(_KILLED))
            self._bash(f".venv/bin/aistack sandbox up --stack {killed} --fault killed.yaml", 1)

    def try_out(self, block: Block, command: Command) -> None:
        """Raises NotACommandError, or AssertionError with what the command said."""
        if block is not self._block:
            self._block, self.at = block, self.folder
        text = fill_in(command.text)
        if " FILE" in text:
            text = text.replace(" FILE", f" {self._file_before(block)}")
        done = Command(text, command.exits)
        _TRIES[way_of(command)](self, block, done)

    def try_program(self, block: Block) -> None:
        """A Pulumi program of a page, beside the stacks that are up."""
        folder = self.folder / "program"
        folder.mkdir(exist_ok=True)
        (folder / "Pulumi.yaml").write_text("{name: another, runtime: python}\n")
        (folder / "Pulumi.reader.yaml").write_text("config: {}\n")
        (folder / "__main__.py").write_text(block.text)
        workspace = Workspace(self.folder / ".sandbox", "reader", folder)
        with workspace.lock():
            workspace.prepare([])
            options = RunOptions(speed=math.inf, faults=Faults(), on_output=self.said.append)
            done = Engine(workspace).run("up", options)
        assert done.ok, done.report.diagnostics
        assert all(done.outputs.values()), done.outputs

    def _run(self, block: Block, command: Command) -> None:
        is_fit = command.program == "aistack" and command.words[1] == "fit"
        self._bash(f"{command.text}{_OR_A_VERDICT if is_fit else ''}", command.exits)

    def _parse(self, block: Block, command: Command) -> None:
        words = command.words
        if words[0] == "make":
            self._make(words)
        elif words[0] == "pulumi":
            parse_pulumi(words, command.environment)
        elif command.program == "aistack":
            parse_aistack(words)
        else:
            parse_foreign(words)

    def _ask_cluster(self, block: Block, command: Command) -> None:
        parse_aistack(command.inner.words)

    def _make(self, words: Sequence[str]) -> None:
        """The target is there; a demo is what later commands look at, and so it runs."""
        if not (self.at / ".venv").exists():
            self._set_up(self.at)
        done = self._bash(f"make --dry-run {' '.join(words[1:])}")
        for line in done.splitlines():
            if "aistack sandbox demo" in line:
                self._bash(line)

    def _write(self, block: Block, command: Command) -> None:
        """A new config is what the page shows under its name; a copy of another gets its own
        `name`, one that has it the lines above. Any other file is what is shown above."""
        file = self.folder / command.words[1]
        above = blocks_of(self.page)[: block.at]
        if not file.name.startswith("Pulumi."):
            file.write_text(above[-1].text)
            return
        name = file.name.split(".")[1]
        if file.exists():
            values = yaml.safe_load(file.read_text())
            stack = values["config"][f"{PROJECT}:stack"]
            shown = above[-1].document if above and stack["name"] == name else None
            stack |= shown or {"name": name}
            file.write_text(yaml.safe_dump(values, sort_keys=False))
            return
        whole = [it for it in blocks_of(self.page) if it.is_config and it.stack_name == name]
        assert whole, f"{block}: {self.page} shows no config of {name}"
        file.write_text(whole[0].text)

    def _file_before(self, block: Block) -> str:
        """The last file of the sandbox's that the page shows above."""
        above = [
            it
            for it in blocks_of(self.page)[: block.at]
            if isinstance(it.document, dict)
            and {"existing", "reservations", "rules"} & it.document.keys()
        ]
        (self.folder / "shown.yaml").write_text(above[-1].text)
        return "shown.yaml"

    def _pulumi(self, block: Block, command: Command) -> None:
        words = command.words
        if command.program == "aistack":
            self._recover(words)
            return
        asked = parse_pulumi(words, command.environment)
        stack = asked.flags.get("stack") or asked.flags.get("s") or "".join(asked.words[-1:])
        if asked.verb in _ENGINE:
            if unserved := asked.flags.keys() - _SERVED:
                raise NotACommandError(f"{command.text}: {', '.join(unserved)} is not served here")
            if log := asked.flags.get("event-log"):
                self._logged(asked.verb, stack, log)
            else:
                self._bash(f".venv/bin/aistack sandbox {asked.verb} --stack {stack}")
        elif asked.verb == "stack output":
            self._cli(words, self.folder, self._of_sandbox)
        else:
            self._cli(words, self.folder, f"file://{self.folder}/.backend")

    def _logged(self, verb: str, stack: str, log: str) -> None:
        self._bash(f".venv/bin/python -m tests.pages.event_log {verb} --stack {stack} {log}")

    def _recover(self, words: Sequence[str]) -> None:
        """With the sandbox's providers, as `pulumi up` has Google's."""
        workspace = Workspace(self.folder / ".sandbox", words[words.index("--stack") + 1])
        programs = self.folder / ".backend" / "programs"
        self.said.append(recover(Sandbox(workspace), programs, ("aistack", *words[1:]), _AGREES))

    def _cli(self, words: Sequence[str], folder: Path, backend: str) -> None:
        environment = {**self._environment(), "PULUMI_BACKEND_URL": backend}
        self._checked([str(binary()), *words[1:]], 0, folder, environment, _SECRET)

    def _bash(self, text: str, exits: int = 0) -> str:
        at = self.folder / ".backend" / "at"
        words = ["bash", "-c", 'trap \'pwd > "$0"\' EXIT; eval "$1"', str(at), text]
        said = self._checked(words, exits, self.at, self._environment(), _AGREES)
        self.at = Path(at.read_text().rstrip("\n"))
        return said

    def _checked(
        self,
        words: Sequence[str],
        exits: int,
        folder: Path,
        environment: Mapping[str, str],
        typed: str,
    ) -> str:
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
        self.said.append(done.stdout + done.stderr)
        shown = f"{' '.join(words[-1:] if words[0] == 'bash' else words)}\n{self.said[-1][-3000:]}"
        assert done.returncode == exits, f"exits {done.returncode}, not {exits}: {shown}"
        return done.stdout

    @property
    def _of_sandbox(self) -> str:
        return f"file://{self.folder}/.sandbox/state?metadata=skip"

    def _environment(self) -> Mapping[str, str]:
        """Without what this machine's user has set."""
        path = (str(self.folder / ".venv" / "bin"), str(binary().parent), os.environ["PATH"])
        kept = ("LANG", "TMPDIR", "GOPATH", "GOCACHE")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": str(self.folder / ".backend"),
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": str(self.folder),
            "GIT_CEILING_DIRECTORIES": str(self.folder.parent),
            # The reader's login: what the sandbox brought up is what `pulumi up` would have.
            "PULUMI_BACKEND_URL": self._of_sandbox,
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_HOME": str(self.folder / ".backend" / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }


# Simulated time is not waited for, and no control plane is started.
_AISTACK = (
    'case "$1 $2" in',
    '"sandbox preview"|"sandbox up"|"sandbox refresh") set -- "$@" --speed inf --kube memory;;',
    '"sandbox destroy") set -- "$@" --speed inf;;',
    "esac",
    f'exec {sys.executable} -m aistack "$@"',
)
_PROGRAMS = {"python": (f'exec {sys.executable} "$@"',), "aistack": _AISTACK}
_TRIES: Mapping[Way, Callable[[Reader, Block, Command], None]] = {
    Way.run: Reader._run,
    Way.engine: Reader._pulumi,
    Way.written: Reader._write,
    Way.parsed: Reader._parse,
    Way.cluster: Reader._ask_cluster,
}
