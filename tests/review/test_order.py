"""Platforms come before the workloads that stand on them: in the report, and in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import review.review as reviewing
from catalog import Catalog
from review.change import changes_of
from review.compare import Place, compared
from review.cost import Amount, Cost, Part
from review.danger import dangers_of
from review.lines import lines_of
from review.markdown import markdown
from review.order import (
    circles,
    main,
    names_another_project,
    platforms_first,
    platforms_in,
    together,
)
from review.preview import Preview
from review.review import Review, review
from review.runs import Brought
from review.stack_review import StackReview
from review.worker import Worker
from stacks.refusal import RELEASE
from tests.review.conftest import git
from tests.review.test_changes import step
from tests.review.test_danger import CLUSTER

STACKS = tuple("abcdef")
UP = Brought(True, False, (), (), 1.0)
NOT_THERE = (
    "The config has 1 mistake; nothing was changed.\n"
    '  cluster.stack: "organization/gke-ai-stacks/platform" is not there; nearest: one'
)


def config(platform: str | None = None, project: str = "gke-ai-stacks") -> str:
    cluster = {"stack": f"organization/{project}/{platform}"} if platform else {}
    return yaml.safe_dump({"config": {"gke-ai-stacks:stack": {"name": "it", "cluster": cluster}}})


def write(folder: Path, **on: str | None) -> None:
    for stack, platform in on.items():
        (folder / f"Pulumi.{stack}.yaml").write_text(config(platform))


def test_a_config_names_its_platform_and_other_configs_name_none(tmp_path: Path) -> None:
    write(tmp_path, platform=None, work="platform", alone="gone", itself="itself")
    (tmp_path / "Pulumi.broken.yaml").write_text("config: [")
    (tmp_path / "Pulumi.text.yaml").write_text("config: {gke-ai-stacks:stack: {cluster: here}}")
    (tmp_path / "Pulumi.short.yaml").write_text(config("platform").replace("organization/", ""))
    (tmp_path / "Pulumi.other.yaml").write_text(config("platform", "another"))
    stacks = ["alone", "broken", "itself", "missing", "other", "platform", "short", "text", "work"]
    assert platforms_in(tmp_path, stacks, stacks) == {"work": "platform"}
    found = [it for it in stacks if names_another_project(tmp_path / f"Pulumi.{it}.yaml")]
    assert found == ["other"]


@given(st.dictionaries(st.sampled_from(STACKS), st.sampled_from(STACKS)), st.permutations(STACKS))
def test_every_platform_comes_first_and_nothing_is_lost(
    on: dict[str, str], stacks: Sequence[str]
) -> None:
    found = platforms_first(stacks, on)
    assert sorted(found) == sorted(stacks)
    around = circles(on)
    for stack, platform in on.items():
        if stack not in around:
            assert found.index(platform) < found.index(stack)
    if not on:
        assert found == list(stacks)
    for group in together(stacks, on):
        assert all(on.get(it) in (None, *group) for it in group)


def test_a_circle_is_told_with_all_who_are_in_it_and_nobody_else() -> None:
    found = circles({"a": "b", "b": "c", "c": "a", "d": "a", "e": "f"})
    assert set(found) == {"a", "b", "c"}
    assert found["b"] == (
        "Pulumi.b.yaml: cluster.stack: it stands on itself, b on c on a on b, so none of them can "
        "be first; nearest: one of them without cluster.stack, which makes the cluster"
    )


def test_a_platform_is_listed_before_a_workload_that_is_worse_off() -> None:
    work = StackReview("work", "failed", "it fails", platform="platform")
    found = Review("main", "0123456789abcdef", (StackReview("platform", "same", "same"), work))
    text = markdown(found)
    assert text.index("| platform | same |") < text.index("| work, on platform | failed |")
    assert list(lines_of(found))[1].endswith("failed (stands on platform)")
    assert [it["platform"] for it in found.to_json()["stacks"]] == [None, "platform"]


def test_a_line_of_a_stack_has_what_an_hour_costs_before_and_after() -> None:
    before, after = (
        Cost((Part("cpu-pool", "machines", Amount(hourly, hourly), "a book"),))
        for hourly in (1.0, 1.5)
    )
    one = StackReview("dev", "changed", "", before=before, after=after)
    (line,) = lines_of(Review("main", "0123456789abcdef", (one,)))
    assert line.endswith("; USD an hour: 1.00 -> 1.50 (+0.50)")


@pytest.mark.parametrize("token", [CLUSTER, RELEASE])
def test_a_platforms_loss_names_the_stacks_that_stand_on_it(token: str) -> None:
    inputs: dict[str, Any] = {"name": "kueue"}
    changes = changes_of([step("it", "delete", token, old=inputs)])
    (alone,) = dangers_of(changes, Catalog.load())
    (danger,) = dangers_of(changes, Catalog.load(), standing=("serving", "work"))
    assert danger.radius.startswith(alone.radius)
    assert danger.radius.endswith("serving, work")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would be run, in its order; nothing of it is."""
    ran: list[str] = []

    def bring_up(base: Worker, stack: str, folder: Path) -> Brought:
        ran.append(f"up {stack} in {folder.name}")
        return UP

    def preview(head: Worker, stack: str, folder: Path) -> tuple[Preview, float]:
        ran.append(f"preview {stack} in {folder.name}")
        return Preview(True, (), (), {}, 0.0, 0.0, ()), 1.0

    monkeypatch.setattr(reviewing, "bring_up", bring_up)
    monkeypatch.setattr("review.compare.preview", preview)
    monkeypatch.setattr(reviewing, "WORKERS", 1)
    return ran


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "Pulumi.yaml").write_text("name: it\n")
    write(folder, platform=None, a_work="platform", other=None)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


def changed(folder: Path, *stacks: str) -> None:
    for stack in stacks:
        with (folder / f"Pulumi.{stack}.yaml").open("a") as file:
            file.write("# changed\n")


def test_both_are_previewed_on_one_sandbox_the_platform_first(
    repository: Path, engine: list[str]
) -> None:
    changed(repository, "a_work", "platform", "other")
    found = review(repository, "HEAD")
    assert [it.stack for it in found.stacks] == ["platform", "a_work", "other"]
    at = next(it for it in engine if it.startswith("up platform")).rpartition(" ")[2]
    assert [it for it in engine if "other" not in it] == [
        f"up platform in {at}",
        f"up a_work in {at}",
        f"preview platform in {at}",
        f"preview a_work in {at}",
    ]
    assert f"up other in {at}" not in engine


def test_of_a_workload_alone_the_platform_is_only_brought_up(
    repository: Path, engine: list[str]
) -> None:
    changed(repository, "a_work")
    for found in (review(repository, "HEAD"), review(repository, "HEAD", ["a_work"])):
        status = {it.stack: (it.status, it.note) for it in found.stacks}
        assert status["a_work"] == ("same", "the engine sees no difference")
    assert [it.split(" in ")[0] for it in engine] == [
        "up platform",
        "up a_work",
        "preview a_work",
    ] * 2


def test_of_a_platform_alone_the_workload_is_told_when_it_will_be_seen(
    repository: Path, engine: list[str]
) -> None:
    changed(repository, "platform")
    found = review(repository, "HEAD")
    _, work, _ = found.stacks
    assert [it.stack for it in found.stacks] == ["platform", "a_work", "other"]
    assert (work.platform, work.status) == ("platform", "same")
    assert work.note.endswith("what its platform's change makes of it is seen once that is up")
    assert engine == ["up platform in platform", "preview platform in platform"]


def test_a_new_workload_is_previewed_on_the_platform_of_the_base(
    repository: Path, engine: list[str]
) -> None:
    write(repository, new="platform")
    (one,) = review(repository, "HEAD", ["new"]).stacks
    assert (one.status, one.platform) == ("new", "platform")
    up, previewed = engine
    assert up.startswith("up platform")
    assert previewed == f"preview new in {up.rpartition(' ')[2]}"


def test_a_circle_fails_its_stacks_in_words_and_no_other(
    repository: Path, engine: list[str]
) -> None:
    write(repository, platform="a_work")
    found = review(repository, "HEAD")
    assert found.exit_code == 1
    status = {it.stack: it.status for it in found.stacks}
    assert status == {"a_work": "failed", "platform": "failed", "other": "same"}
    told = {it.stack: it.errors for it in found.stacks}
    assert "a_work on platform on a_work" in told["a_work"][0]
    assert engine == []


def test_a_platform_that_goes_still_comes_before_what_stood_on_it(
    repository: Path, engine: list[str]
) -> None:
    (repository / "Pulumi.platform.yaml").unlink()
    changed(repository, "a_work")
    found = review(repository, "HEAD")
    assert [it.stack for it in found.stacks][:2] == ["platform", "a_work"]
    assert "preview a_work in" in engine[-1]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def preview(head: Worker, stack: str, folder: Path) -> tuple[Preview, float]:
        return Preview(False, (NOT_THERE,), (), {}, 0.0, 0.0, (), waits=True), 1.0

    monkeypatch.setattr("review.compare.preview", preview)


def work_on(place: Place, **brought: Brought) -> StackReview:
    return compared(place, "work", place.sandbox("work"), brought, None)  # type: ignore[arg-type]


@pytest.mark.usefixtures("refused")
@pytest.mark.parametrize("before", [{}, {"work": UP}])
def test_a_workload_waits_for_a_platform_that_is_not_up_at_the_base(
    tmp_path: Path, before: dict[str, Brought]
) -> None:
    both = frozenset({"work", "platform"})
    place = Place(tmp_path, tmp_path, frozenset(before), both, on={"work": "platform"})
    found = work_on(place, **before)
    assert (found.status, found.errors) == ("waits", ())
    told = Review("main", "0" * 40, (found,))
    assert told.exit_code == 0
    assert "| work, on platform | its platform is not up at the base: " in markdown(told)


@pytest.mark.usefixtures("refused")
def test_a_platform_of_another_project_is_waited_for_and_a_wrong_name_is_a_failure(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path, tmp_path, frozenset(), frozenset({"work"}))
    (tmp_path / "Pulumi.work.yaml").write_text(config("platform", "another"))
    assert work_on(place).note.startswith("its platform is a stack of another project")
    (tmp_path / "Pulumi.work.yaml").write_text(config("platfrom"))
    assert work_on(place).status == "failed"


def test_a_failure_whose_words_are_those_of_one_who_waits_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def preview(head: Worker, stack: str, folder: Path) -> tuple[Preview, float]:
        return Preview(False, (NOT_THERE,), (), {}, 0.0, 0.0, ()), 1.0

    monkeypatch.setattr("review.compare.preview", preview)
    place = Place(
        tmp_path, tmp_path, frozenset(), frozenset({"work", "platform"}), on={"work": "platform"}
    )
    assert work_on(place).status == "failed"


def test_a_platform_that_does_not_come_up_leaves_nothing_to_compare(tmp_path: Path) -> None:
    on = {"work": "platform"}
    both = frozenset({"work", "platform"})
    place = Place(tmp_path, tmp_path, both, both, on_before=on, on=on)
    down = Brought(False, False, ("no room",), (), 1.0)
    found = work_on(place, platform=down, work=down)
    assert (found.status, found.errors) == ("failed", ("no room",))
    assert found.note.startswith("its platform could not be brought up at the base")


@pytest.mark.usefixtures("refused")
def test_where_the_bases_platform_was_refused_the_workload_waits_without_its_errors(
    tmp_path: Path,
) -> None:
    on = {"work": "platform"}
    both = frozenset({"work", "platform"})
    place = Place(tmp_path, tmp_path, both, both, on_before=on, on=on)
    invalid = Brought(False, True, ("a mistake",), (), 1.0)
    found = work_on(place, platform=invalid, work=invalid)
    assert (found.status, found.errors, found.engine_s) == ("waits", (), 2.0)


def test_a_workflow_is_told_what_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, platform=None, work="platform", late="work", alone="gone")
    assert main(["late", "work", "platform", "alone"], tmp_path) == 0
    assert capsys.readouterr().out == 'first=["platform", "alone"]\nworkloads=["work", "late"]\n'
    # A platform that is not among the real stacks is up, or nobody here brings it up.
    assert main(["work"], tmp_path) == 0
    assert capsys.readouterr().out == 'first=["work"]\nworkloads=[]\n'
    write(tmp_path, platform="work")
    assert main(["work", "platform"], tmp_path) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "work on platform on work" in said.err
