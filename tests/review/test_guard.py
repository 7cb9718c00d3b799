"""The program's own guard on the real engine: what `pulumi up` does when nobody agreed."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pulumi.automation import Stack

from catalog import Catalog
from cli.urns import name_of
from review.change import changes_of
from review.danger import dangers_of
from review.step import EngineStep
from sandbox.engine import Engine, RunResult, Verb
from sandbox.faults import Faults
from sandbox.run import run
from sandbox.workspace import Workspace
from stacks.guard import HOOK
from stacks.refusal import KUBERNETES, is_guarded, of_destroy

pytestmark = pytest.mark.thorough
PROTECTED = "deletion_protection=true"
ON_DEMAND = "pools.gpu.capacity.mode=on-demand"
AGREED = "acknowledge=[{resource: gpu-pool, property: nodeConfig.spot, to: false}]"
Run = Callable[..., RunResult]
TAKEN = {"replace", "create-replacement", "delete-replaced", "delete"}


def runner(folder: Path) -> Run:
    def command(verb: Verb, *overrides: str) -> RunResult:
        return run(Workspace(folder, "dev"), verb, math.inf, list(overrides), Faults())

    return command


def brought_up(factory: pytest.TempPathFactory, worker_id: str, name: str, *overrides: str) -> Path:
    base = factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / name
    with FileLock(folder.with_suffix(".lock")):
        done = folder.with_suffix(".done")
        if not done.exists():
            assert runner(folder)("up", *overrides).ok
            done.touch()
    return folder


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """dev as its config has it, in a folder of this worker's own."""
    folder = brought_up(tmp_path_factory, worker_id, "guard-plain")
    own = tmp_path_factory.mktemp("plain") / "sandbox"
    shutil.copytree(folder, own)
    return own


@pytest.fixture
def guarded(tmp_path_factory: pytest.TempPathFactory, worker_id: str, tmp_path: Path) -> Path:
    """dev with protection on, for one test."""
    folder = brought_up(tmp_path_factory, worker_id, "guard-protected", PROTECTED)
    shutil.copytree(folder, tmp_path / "sandbox")
    return tmp_path / "sandbox"


def in_state(folder: Path) -> set[str]:
    file = next(folder.glob("state/.pulumi/stacks/*/dev.json"))
    resources = json.loads(file.read_text())["checkpoint"]["latest"]["resources"]
    return {
        name_of(it["urn"])
        for it in resources
        if any(
            hook.startswith(HOOK)
            for hook in (it.get("resourceHooks") or {}).get("BeforeDelete", [])
        )
    }


def test_it_stands_in_front_of_all_that_is_hard_to_get_back(guarded: Path) -> None:
    assert in_state(guarded) == {
        "bucket-bucket",
        "deletion-guard",
        "gke-cluster",
        "gpu-pool",
        "kueue-namespace",
        "kueue-release",
        "network-subnet",
        "network-vpc",
    }


def test_a_preview_ends_at_what_nobody_agreed_to(guarded: Path) -> None:
    done = runner(guarded)("preview", PROTECTED, ON_DEMAND)
    assert not done.ok
    assert any(
        "gpu-pool would be replaced (nodeConfig.spot: true -> false)" in line
        for line in done.report.diagnostics
    )


def test_up_without_a_preview_keeps_the_machines(guarded: Path) -> None:
    workspace = Workspace(guarded, "dev")
    before = workspace.cloud().inventory("dev")
    assert not runner(guarded)("up", PROTECTED, ON_DEMAND).ok
    assert Workspace(guarded, "dev").cloud().inventory("dev") == before


def test_an_agreement_to_another_property_lets_nothing_through(guarded: Path) -> None:
    other = AGREED.replace("spot, to: false", "diskSizeGb, to: 200")
    done = runner(guarded)("preview", PROTECTED, ON_DEMAND, "pools.gpu.disk.size_gb=200", other)
    assert not done.ok
    said = "\n".join(done.report.diagnostics)
    assert "- {resource: gpu-pool, property: nodeConfig.spot, to: false}" in said


def test_up_does_what_was_agreed_to_and_says_so(guarded: Path) -> None:
    done = runner(guarded)("up", PROTECTED, ON_DEMAND, AGREED)
    assert done.ok, done.report.diagnostics
    assert any(
        line.startswith("gpu-pool goes, as stack.acknowledge agrees to")
        for line in done.report.diagnostics
    )
    assert "gpu-pool" in {
        name_of(it.urn) for it in done.report.resources if it.operation == "replace"
    }


def test_kueue_is_not_taken_out_by_the_way(guarded: Path) -> None:
    done = runner(guarded)("preview", PROTECTED, "queues=null", "ray.dev.queue=null")
    assert not done.ok
    assert any(
        "- {resource: kueue-release, to: removed}" in line for line in done.report.diagnostics
    )


@pytest.mark.parametrize("with_program", [False, True])
def test_destroy_is_refused_before_anything_is_gone(
    guarded: Path, with_program: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    destroy = Stack.destroy
    monkeypatch.setattr(
        Stack, "destroy", lambda stack, **more: destroy(stack, run_program=with_program, **more)
    )
    before = Workspace(guarded, "dev").cloud().inventory("dev")
    done = runner(guarded)("destroy", PROTECTED)
    assert not done.ok
    refusal = of_destroy("dev", jobs=(), teams=())
    assert any(refusal in line for line in done.report.diagnostics)
    assert Workspace(guarded, "dev").cloud().inventory("dev") == before


def test_turned_off_in_an_up_of_its_own_it_leaves_no_trace_and_destroy_ends(guarded: Path) -> None:
    command = runner(guarded)
    assert command("up").ok
    assert in_state(guarded) == set()
    assert command("destroy").ok


def test_turned_off_together_with_the_change_it_still_refuses(guarded: Path) -> None:
    done = runner(guarded)("up", ON_DEMAND)
    assert not done.ok
    assert any("this run would turn it off" in it for it in done.report.diagnostics)


def test_up_with_the_plan_that_was_shown_does_nothing_else(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `up.yml` does it: what changes between the plan and its `up` ends in an error."""
    folder, saved = tmp_path / "sandbox", tmp_path / "plan.json"
    shutil.copytree(plain, folder)
    forget, up = Engine._plan, Stack.up

    def keep(engine: Engine, aliased: Mapping[str, str]) -> dict[str, Any]:
        shutil.copyfile(Workspace(folder, "dev").plan_file, saved)
        return forget(engine, aliased)

    monkeypatch.setattr(Engine, "_plan", keep)
    assert runner(folder)("preview", "labels.team=research").ok
    monkeypatch.setattr(Stack, "up", lambda stack, **more: up(stack, plan=str(saved), **more))
    done = runner(folder)("up", "labels.team=research", "pools.gpu.driver_version=default")
    assert not done.ok
    assert any("violates plan" in line for line in done.report.diagnostics)


OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "pools.gpu.machine_type": st.sampled_from(["g2-standard-12", "g2-standard-16"]),
        "pools.gpu.capacity.mode": st.sampled_from(["on-demand", "any-reservation"]),
        "pools.gpu.driver_version": st.sampled_from(["default", "latest"]),
        "pools.gpu.disk.size_gb": st.sampled_from([120, 200]),
        "pools.gpu.max_pods_per_node": st.sampled_from([32, 64]),
        "pools.cpu.max_pods_per_node": st.sampled_from([32, 64]),
        "network.mtu": st.just(1460),
        "labels.team": st.just("research"),
    },
)


@settings(
    max_examples=8,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(overrides=OVERRIDES)
def test_the_guard_is_never_silent_where_the_engine_takes_something_away(
    plain: Path, overrides: dict[str, object]
) -> None:
    done = runner(plain)("preview", *(f"{path}={value}" for path, value in overrides.items()))
    assert done.ok, done.report.diagnostics
    catalog = Catalog.load()
    steps = [step for it in done.report.step_events if (step := EngineStep.of_event(it))]
    taken = {
        name_of(step.urn)
        for step in steps
        if step.operation in TAKEN and is_guarded(step.type, step.old or {}, catalog)
        # Objects go with their cluster, whose provider only the record names.
        if not step.type.startswith(KUBERNETES)
    }
    found = dangers_of(changes_of(steps), catalog)
    named = {it.resource: it for it in found if not it.type.startswith(KUBERNETES)}
    assert set(named) == taken
    assert not any(it.acknowledged for it in named.values())
    assert all(it.properties and "unknown" not in it.properties for it in named.values())
