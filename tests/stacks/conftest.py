"""Stacks through the real Pulumi engine on the sandbox.

This tier shows what the engine does with the program: order, diffs, replacement, recovery. It
cannot show that Google Cloud answers as the simulated one does.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from filelock import FileLock

from cli.project import stack_names
from cli.urns import name_of, token_of
from kube.objects import PodView
from sandbox.cloud.caller import Caller
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.engine import RunResult, Verb
from sandbox.faults import Faults
from sandbox.run import run
from sandbox.status import everything
from sandbox.workspace import Workspace
from tests.parts.sampling import a_sample

# The largest and the smallest; `make test-stacks` takes the others, too.
IN_EVERY_TEST = ("b200-lustre", "dev")
SAMPLE = 4
# The engine writes its state as a run ends, and not with each step, which is half of its work: for
# what kills none.
SAVED_AT_THE_END = {"PULUMI_SKIP_CHECKPOINTS": "true"}
# A refresh finds one that runs not ready, and the next preview has an update of it that changes
# nothing (pulumi/pulumi-kubernetes provider/pkg/await/await.go, 94977969).
RUNNING = ("kubernetes:batch/v1:Job", "update")
CANARY = "hf_canary_5d41402abc4b2a76b9719d911017c592"


def by_tier(*by_default: str) -> list[Any]:
    """Stacks as parameters of a test, of which some are enough for every change. Of the others the
    thorough tier has a sample, another one for each commit, or all with ALL_COMBINATIONS=1."""
    others = [stack for stack in stack_names() if stack not in by_default]
    taken = a_sample(others, SAMPLE)
    return [*by_default, *(pytest.param(stack, marks=pytest.mark.thorough) for stack in taken)]


@dataclass(frozen=True)
class Sandbox:
    """One stack in a sandbox folder of its own."""

    workspace: Workspace
    # Whether Kubernetes is a real control plane.
    real: ClassVar[bool] = False

    def run(
        self,
        verb: Verb,
        *overrides: str,
        faults: Faults | None = None,
        project: Path | None = None,
        roles: tuple[str, ...] = (),
        only: Mapping[str, Any] | None = None,
    ) -> RunResult:
        given, caller = faults or Faults(), Caller(roles)
        return run(
            self.workspace,
            verb,
            math.inf,
            list(overrides),
            given,
            project,
            self.real,
            caller=caller,
            only=only,
        )

    def succeed(self, verb: Verb, *overrides: str) -> RunResult:
        result = self.run(verb, *overrides)
        assert result.ok, result.report.diagnostics
        return result

    @property
    def cloud(self) -> Cloud:
        return self.workspace.cloud()

    @property
    def clusters(self) -> Clusters:
        return Clusters(self.cloud, self.workspace.cloud_file)

    @property
    def up_summary(self) -> dict[str, Any]:
        """What `up --json` said when this stack was brought up."""
        return json.loads((self.workspace.root / "up.json").read_text())

    def describe_everything(self) -> dict[str, list[str]]:
        return everything(self.clusters)

    def pods(self) -> list[PodView]:
        clusters = self.clusters
        found = clusters.cloud.find(Cluster.token)
        return [pod for cluster in found for pod in clusters.kube(cluster).pods()]

    def state(self) -> dict[str, Any]:
        """The engine's own record, as its file backend holds it."""
        return json.loads(next(self.workspace.state_files()).read_text())["checkpoint"]["latest"]


def unexpected(result: RunResult) -> list[str]:
    """What a run said, but what presets are warned of: published holes of images, Ray clusters
    without a token, and the control planes under which nodes may not mount buckets."""
    known = (", with known holes: ", ": Ray asks for no token, ", " may not mount buckets, ")
    return [it for it in result.report.diagnostics if not any(one in it for one in known)]


def changed(result: RunResult) -> dict[str, str]:
    """Operation by logical name, for all that does not stay the same."""
    return {
        name_of(resource.urn): resource.operation
        for resource in result.report.resources
        if resource.operation != "same"
    }


def left_to_do(sandbox: Sandbox, *overrides: str) -> dict[str, str]:
    """By a preview, of a state that a refresh has read anew."""
    sandbox.succeed("refresh", *overrides)
    preview = sandbox.succeed("preview", *overrides)
    running = {
        name_of(it.urn)
        for it in preview.report.resources
        if (token_of(it.urn), it.operation) == RUNNING
    }
    return {name: it for name, it in changed(preview).items() if name not in running}


def replaced(result: RunResult) -> list[str]:
    """Logical names of what is replaced, sorted."""
    resources = result.report.resources
    return sorted(name_of(one.urn) for one in resources if one.operation == "replace")


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[[str], Path]:
    """Folders in which a stack is up, made once for all workers, to be copied by each test."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent

    def template(stack: str) -> Path:
        folder, done = shared / f"{stack}-up", shared / f"{stack}-up.done"
        with FileLock(shared / f"{stack}-up.lock"), pytest.MonkeyPatch.context() as patch:
            patch.setenv("HUGGING_FACE_TOKEN", CANARY)
            if not done.exists():
                made = Sandbox(Workspace(folder, stack)).succeed("up")
                (folder / "up.json").write_text(json.dumps(made.to_json()))
                done.touch()
        return folder

    return template


@pytest.fixture
def saved_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SAVED_AT_THE_END.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Sandbox]:
    """A sandbox in which nothing was made yet."""
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    return lambda stack: Sandbox(Workspace(tmp_path / "new", stack))


@pytest.fixture
def brought_up(
    templates: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Sandbox]:
    """A sandbox in which the stack is up, for this test alone."""
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)

    def copy(stack: str) -> Sandbox:
        folder = tmp_path / "sandbox"
        shutil.copytree(templates(stack), folder)
        return Sandbox(Workspace(folder, stack))

    return copy
