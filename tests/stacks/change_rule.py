"""The rule for every change of a running stack: its preview refuses it and says what to do
instead, or what it shows is what `up` does.

Done means: `up` succeeds and does what the preview showed, the cloud is the same as after a fresh
`up` of the new config, and the next preview is empty.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import yaml

from catalog.customer_keys import customer_keys
from cli.project import PROJECT, PROJECT_FOLDER
from sandbox.engine import RunResult, Verb
from sandbox.workspace import Workspace
from tests.parts.bystanders import ADAS, Bystanders, Nobody
from tests.parts.existing_ground import existing_disk_image, existing_repository
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.stack_facts import LENT, Facts, differing, facts_of, record_of
from tests.unit.effect_stacks import bring_scripts

STACK = "changing"
_TOP = ("project", "region", "zone")
_FILES = ("Pulumi.yaml", "__main__.py")
# What a refusal says to run instead.
_COMMAND = re.compile(r"^ +pulumi ((?:up|destroy) .*)$", re.MULTILINE)
_WHAT_TO_DO = ("nearest:", "What does it:")

_MAY_BE_NONE = ("update", "create-replacement")

Config = dict[str, Any]
# A verb, and the part of the stack that it is for.
Command = tuple[Verb, dict[str, Any]]


class BrokenPromiseError(AssertionError):
    """A change that its preview let through, and that is not what `up` did."""


@dataclass(frozen=True)
class Outcome:
    """What became of one change; `reason` is what a refusal said."""

    kind: Literal["done", "refused"]
    reason: str = ""

    @property
    def refused(self) -> bool:
        return self.kind == "refused"


class ChangingStack:
    """One stack on a sandbox of its own, whose config changes. `others` have work in its cluster,
    which each change leaves as it is, and leave where a refusal has commands that end it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sandbox = Sandbox(Workspace(folder / "sandbox", STACK, folder / "project"))
        self.others: Bystanders = Nobody(self.sandbox)

    @classmethod
    def new(cls, folder: Path, config: Config) -> Self:
        """Nothing is up yet. Its secrets are encrypted, which takes as long as a small `up`, so
        that other new stacks are copies of it."""
        project = folder / "project"
        bring_scripts(project)
        for name in _FILES:
            shutil.copyfile(PROJECT_FOLDER / name, project / name)
        made = cls(folder)
        made.have(config)
        made.sandbox.succeed("preview")
        return made

    def copied(self, folder: Path) -> Self:
        shutil.copytree(self.folder, folder)
        return type(self)(folder)

    def have(self, config: Config) -> None:
        """Write it into the stack's file; the simulated project gets the reservations, the
        repositories, the disk images and the key in it."""
        at = {f"gcp:{key}": config[key] for key in _TOP if key in config}
        stack = {key: it for key, it in config.items() if key not in _TOP}
        file = self.folder / "project" / f"Pulumi.{STACK}.yaml"
        file.write_text(yaml.safe_dump({"config": {**at, f"{PROJECT}:stack": stack}}))
        given = self.folder / "given.yaml"
        given.write_text(yaml.safe_dump(self.given(config)))
        with self.sandbox.workspace.lock():
            self.sandbox.workspace.use_project(given)

    def given(self, config: Config) -> dict[str, Any]:
        """What the simulated project has before any stack."""
        there = [*repositories(config), *disk_images(config)]
        keys = {config["cmek"]: [*customer_keys().services]} if "cmek" in config else {}
        return {"reservations": reservations(config), "keys": keys, "existing": there}

    def left(self) -> Any:
        """What a destroy leaves behind."""
        left = dict(self.sandbox.succeed("destroy").cloud)
        ours = self.sandbox.cloud.inventory(STACK)
        left |= {it: ours.get(it, []) for it in LENT}
        return {token: ids for token, ids in left.items() if ids}

    def up(self, config: Config) -> RunResult:
        self.have(config)
        return self.sandbox.succeed("up")

    def facts(self) -> Facts:
        return facts_of(self.sandbox, without=ADAS)

    def record(self) -> Facts:
        return record_of(self.sandbox)

    def change(self, config: Config, fresh: Facts, settled: Collection[Facts] = ()) -> Outcome:
        """`settled`: records of this config whose next preview is known to be empty, so that the
        same record needs no preview again. Raises BrokenPromiseError."""
        self.have(config)
        shown = self.sandbox.run("preview")
        if not shown.ok:
            outcome = self._refused(shown, fresh)
            self._others_stand()
            return outcome
        done = self.sandbox.run("up")
        if not done.ok:
            raise BrokenPromiseError(f"up failed: {_said(done)}")
        promised, kept = changed(shown), changed(done)
        # What waits for a value that only the cloud knows is shown as changed, and may not be.
        unneeded = {it for it in promised.items() if it[1] in _MAY_BE_NONE} - kept.items()
        if promised.items() - unneeded != kept.items():
            raise BrokenPromiseError(f"shown {promised}, done {kept}")
        self._others_stand()
        self._ended_as(fresh, settled)
        return Outcome("done")

    def _others_stand(self) -> None:
        if not self.others.stand():
            raise BrokenPromiseError("the work of others is not as it was")

    def stay_as_they_are(self) -> None:
        """Raises BrokenPromiseError."""
        if left := changed(self.sandbox.succeed("preview")):
            raise BrokenPromiseError(f"the next preview is not empty: {left}")

    def leave_nothing(self) -> None:
        """Raises BrokenPromiseError."""
        if left := self.left():
            raise BrokenPromiseError(f"destroy leaves {left}")

    def _refused(self, shown: RunResult, fresh: Facts) -> Outcome:
        """Judged by what it says to do instead: its commands are run."""
        said = "\n".join(shown.report.diagnostics)
        if not any(it in said for it in _WHAT_TO_DO):
            raise BrokenPromiseError(f"the preview failed, and not with words of ours: {said}")
        if commands := commands_in(said):
            self.others.leave()
            for verb, only in commands:
                self._follow(verb, only)
            self._ended_as(fresh)
            self.others.come()
        return Outcome("refused", said)

    def _follow(self, verb: Verb, only: dict[str, Any]) -> None:
        done = self.sandbox.run(verb, only=only)
        if not done.ok:
            raise BrokenPromiseError(f"{verb} that the refusal says failed: {_said(done)}")

    def _ended_as(self, fresh: Facts, settled: Collection[Facts] = ()) -> None:
        if self.record() not in settled:
            self.stay_as_they_are()
        if differences := differing(fresh, self.facts()):
            raise BrokenPromiseError(f"not as a fresh up: {differences}")


class Start:
    """What all changes of one config start from, and none changes. `settled` are records of it
    in which changes ended and were looked at: the next preview is empty, and a destroy leaves
    nothing. An `up` that knows what stands already has another one than the first."""

    def __init__(self, folder: Path, kind: type[ChangingStack] = ChangingStack) -> None:
        self._new = kind(folder / "new")
        self._running = kind(folder / "up")
        self.settled: list[Facts] = []

    @classmethod
    def made(cls, folder: Path, config: Config, kind: type[ChangingStack] = ChangingStack) -> Start:
        """Its next preview is empty."""
        running = kind.new(folder / "new", config).copied(folder / "up")
        running.up(config)
        running.stay_as_they_are()
        return cls(folder, kind)

    def leave_nothing(self, folder: Path) -> None:
        """A destroy of it does. Raises BrokenPromiseError."""
        self.running(folder).leave_nothing()
        shutil.rmtree(folder)

    def running(self, folder: Path) -> ChangingStack:
        return self._running.copied(folder)

    def fresh(self, folder: Path, config: Config) -> ChangingStack:
        """What a first `up` of the config makes."""
        fresh = self._new.copied(folder)
        fresh.up(config)
        return fresh


def commands_in(said: str) -> list[Command]:
    """What a refusal says to run."""
    return [_command(*shlex.split(line)) for line in _COMMAND.findall(said)]


def _command(verb: str, *options: str) -> Command:
    target = [it for it in options if it.startswith("urn:")]
    only = {"target": target, "target_dependents": "--target-dependents" in options}
    return "destroy" if verb == "destroy" else "up", only if target else {}


def there_and_back(
    start: Start, folder: Path, before: Config, after: Config
) -> tuple[Outcome, ...]:
    """The outcome of a change of what started with `before`, of which a destroy leaves nothing, and
    of its way back. Raises BrokenPromiseError."""
    running = start.running(folder / "running")
    was, settled = running.facts(), [running.record(), *start.settled]
    fresh = start.fresh(folder / "fresh", after)
    there = running.change(after, fresh.facts())
    # Where it was refused, the way back is from what came up anew.
    changing = running if there.kind == "done" else fresh
    back = changing.change(before, was, settled)
    ended = changing.record()
    if back.refused or ended not in settled:
        changing.leave_nothing()
        if back.kind == "done":
            start.settled.append(ended)
    return there, back


def reservations(config: Config) -> dict[str, Any]:
    """What the pools of a config name."""
    found: dict[str, Any] = {}
    for pool in config["pools"].values():
        capacity = pool.get("capacity", {})
        if capacity.get("mode") == "reservation":
            found[capacity["name"]] = {
                "zone": pool.get("zone", config["zone"]),
                "machine_type": pool["machine_type"],
                "count": 100,
                "blocks": _blocks(capacity),
                "project": capacity.get("project"),
            }
    return found


def repositories(config: Config) -> list[dict[str, Any]]:
    """Those that a config names, each a mirror of the registry that it is named for."""
    named = config.get("images", {}).get("repositories", {})
    return [existing_repository(path, host) for host, path in named.items()]


def disk_images(config: Config) -> list[dict[str, Any]]:
    """Those that a config names, in the stack's own project."""
    named = [it.get("secondary_boot_disk") for it in config["pools"].values()]
    return [existing_disk_image(config["project"], it.rpartition("/")[2]) for it in named if it]


def _blocks(capacity: dict[str, Any]) -> dict[str, list[str]]:
    block, inner = capacity.get("block"), capacity.get("sub_block")
    return {} if block is None else {block: [] if inner is None else [inner]}


def _said(result: RunResult) -> str:
    return " | ".join(it.strip() for it in result.report.diagnostics)
