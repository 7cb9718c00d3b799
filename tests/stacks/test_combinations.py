"""Combinations of parts through the real engine on the sandbox: up, nothing left to do, destroy.

All of them are tried with ALL_COMBINATIONS=1; else a sample, another one for each commit.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from cli.project import PROJECT, PROJECT_FOLDER
from cli.urns import name_of
from sandbox.workspace import SANDBOX_PROJECT, Workspace
from tests.parts.adopted_combinations import adopting
from tests.parts.cover import SEED, blocks_of, covering, missed
from tests.parts.given_project import reservations
from tests.parts.sampling import a_sample
from tests.stacks.config_sandbox import of_no_stack
from tests.stacks.conftest import CANARY, Sandbox, changed, left_to_do

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("saved_at_the_end")]

ALL, SAMPLE, ADOPTED_SAMPLE = 60, 15, 4


def tried(count: int) -> list[int]:
    return a_sample(list(range(ALL)), count)


@pytest.fixture
def combined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Sandbox]:
    """A sandbox for a stack with the config, with nothing that keeps a destroy from it, and with
    what is there before it."""
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    monkeypatch.setenv("WANDB_API_KEY", CANARY)

    def sandbox(raw: dict[str, Any], *existing: dict[str, Any]) -> Sandbox:
        folder = tmp_path / "program"
        folder.mkdir()
        for name in ("Pulumi.yaml", "__main__.py"):
            shutil.copyfile(PROJECT_FOLDER / name, folder / name)
        (folder / f"Pulumi.{raw['name']}.yaml").write_text(yaml.safe_dump(config_file(raw)))
        given = tmp_path / "project.yaml"
        given.write_text(yaml.safe_dump({**reservations(raw), "existing": [*existing]}))
        workspace = Workspace(tmp_path / "sandbox", raw["name"], folder)
        with workspace.lock():
            workspace.use_project(given)
        return Sandbox(workspace)

    return sandbox


def config_file(raw: dict[str, Any]) -> dict[str, Any]:
    stack = {key: it for key, it in raw.items() if key not in ("project", "region", "zone")}
    stack["deletion_protection"] = False
    if "network" in stack:
        # A peering that is left behind keeps its network.
        network = stack["network"].items()
        stack["network"] = {key: it for key, it in network if key != "peering_on_destroy"}
    return {
        "config": {
            "gcp:region": raw["region"],
            "gcp:zone": raw["zone"],
            f"{PROJECT}:stack": stack,
        }
    }


@pytest.mark.parametrize("number", tried(SAMPLE))
def test_a_combination_comes_up_stays_as_it_is_and_goes(
    combined: Callable[..., Sandbox], number: int
) -> None:
    raw = covering(ALL)[number]
    print(f"seed {SEED}, combination {number}: {sorted(blocks_of(raw))}")
    sandbox = combined(raw)
    sandbox.succeed("up")
    assert left_to_do(sandbox) == {}
    assert sandbox.succeed("destroy").cloud == {}


@pytest.mark.parametrize("number", tried(ADOPTED_SAMPLE))
def test_no_step_is_for_what_existed_before_a_combination(
    combined: Callable[..., Sandbox], number: int
) -> None:
    raw = {**covering(ALL)[number], "project": SANDBOX_PROJECT}
    found = adopting(raw, Random(SEED + number))
    print(f"seed {SEED}, combination {number}: {sorted(found.adopted)}")
    sandbox = combined(found.raw, *found.existing)
    before = of_no_stack(sandbox)
    assert len(before) == len(found.existing)
    for verb in ("up", "preview", "destroy"):
        result = sandbox.succeed(verb)
        assert {name_of(it.urn) for it in result.report.resources} & found.made == set()
        assert not [it for it in result.report.resources if "import" in it.operation]
        assert of_no_stack(sandbox) == before
        assert verb != "preview" or changed(result) == {}
    assert sandbox.cloud.inventory(raw["name"]) == {}


def test_the_combinations_bring_every_two_blocks_together_that_any_of_them_has() -> None:
    blocks = [blocks_of(it) for it in covering(ALL)]
    everywhere = frozenset[str]().union(*blocks)
    assert {"lustre", "two buckets", "queues", "autopilot", "rdma pool", "tpu pool"} <= everywhere
    assert {"vllm", "tgi", "fine-tune", "nemo-rl", "verl", "maxtext"} <= everywhere
    assert missed(ALL) == set()
