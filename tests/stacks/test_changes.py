"""A preview that passes is a promise, for a change of every field, there and back, and for several
in a row.

Cannot show that the real provider's functions answer as the simulated ones do, of parts that exist
already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from pydantic import TypeAdapter

from stacks.model_places import located, may_be_absent
from stacks.stack import Stack
from tests.parts.bystanders import Bystanders
from tests.parts.sampling import a_sample
from tests.stacks.change_chains import chain, followed
from tests.stacks.change_rule import ChangingStack, Config, Start, there_and_back
from tests.stacks.changes import CASES, REFUSED
from tests.stacks.changes_page import PAGE, page
from tests.stacks.conftest import CANARY
from tests.unit.effect_stacks import BASES

# What a refusal says of a key of the config.
VALUES = re.compile(r"(?:stack\.|gcp:)([\w.-]+): (.+?) -> (.+?)(?= stack\.| gcp:|$)")
SAMPLE = 14
CHAINS = 12
CHAINS_SAMPLE = 3
DONE_OF_TEN = 9
OTHERS_SAMPLE = 4
# Those with nodes of the stack's own, on which others have work.
OWN_CLUSTERS = {
    name: it
    for name, it in CASES.items()
    if it.kind is ChangingStack
    if not {"mode", "stack", "existing"} & (it.before.get("cluster") or {}).keys()
}

Starts = Callable[[str, Config, type[ChangingStack]], Start]


@pytest.fixture(scope="module")
def starts() -> dict[Path, Start]:
    """By folder, with what its changes were found to end in."""
    return {}


@pytest.fixture
def start_of(
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
    monkeypatch: pytest.MonkeyPatch,
    starts: dict[Path, Start],
) -> Starts:
    """A stack is brought up once for all changes of it."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    monkeypatch.setenv("WANDB_API_KEY", CANARY)

    def made(stack: str, config: Config, kind: type[ChangingStack]) -> Start:
        folder = shared / f"{stack.replace(' ', '-')}-changing"
        done = folder.with_suffix(".done")
        with FileLock(folder.with_suffix(".lock")):
            if not done.exists():
                Start.made(folder, config, kind).leave_nothing(folder / "down")
                done.touch()
        return starts.setdefault(folder, Start(folder, kind))

    return made


@pytest.mark.thorough
@pytest.mark.usefixtures("saved_at_the_end")
@pytest.mark.parametrize("name", a_sample(list(CASES), SAMPLE))
def test_a_change_is_refused_with_what_to_do_or_does_what_its_preview_shows(
    start_of: Starts, tmp_path: Path, name: str
) -> None:
    case = CASES[name]
    start = start_of(case.stack, case.before, case.kind)
    outcomes = there_and_back(start, tmp_path, case.before, case.after)
    refused = {way for way, it in zip(("there", "back"), outcomes, strict=True) if it.refused}
    assert refused == REFUSED.get(name, {}).keys()


@pytest.mark.thorough
@pytest.mark.usefixtures("saved_at_the_end")
@pytest.mark.parametrize("name", a_sample(list(OWN_CLUSTERS), OTHERS_SAMPLE))
def test_a_change_leaves_the_work_of_others_as_it_is(
    start_of: Starts, tmp_path: Path, name: str
) -> None:
    """In a namespace of theirs, with a job in a queue of the stack's, whether the change is done or
    refused."""
    case = OWN_CLUSTERS[name]
    running = start_of(case.stack, case.before, case.kind).running(tmp_path / "running")
    others = Bystanders(running.sandbox, queued=True)
    others.come()
    running.have(case.after)
    if running.sandbox.run("preview").ok:
        running.sandbox.succeed("up")
    assert others.stand()


@pytest.mark.thorough
@pytest.mark.usefixtures("saved_at_the_end")
@pytest.mark.parametrize("seed", a_sample(list(range(CHAINS)), CHAINS_SAMPLE))
def test_several_changes_in_a_row_end_where_they_began(
    start_of: Starts, tmp_path: Path, seed: int
) -> None:
    drawn = chain(seed)
    start = start_of(drawn.stack, drawn.first, ChangingStack)
    outcomes = followed(start, tmp_path, drawn)
    assert len(outcomes) == len(drawn.others) + 1, drawn.fields


def test_of_ten_changes_of_a_field_nine_are_done() -> None:
    """Of each field once: what makes a cluster anew is tried on many of the presets, too."""
    tried = [it for it, case in CASES.items() if case.stack in BASES]
    refused = sum(len(REFUSED.get(it, {})) for it in tried)
    assert refused * 10 <= len(tried) * 2 * (10 - DONE_OF_TEN)


def test_the_page_is_what_the_record_says() -> None:
    assert PAGE.read_text() == page(REFUSED), "run: make changes"


def values_said() -> Iterator[tuple[str, Any]]:
    for ways in REFUSED.values():
        for message in ways.values():
            values = message.partition("nothing was changed. ")[2].partition(" Why:")[0]
            for field, before, after in VALUES.findall(values):
                yield from ((field, before), (field, after))


@pytest.mark.parametrize(("field", "value"), sorted(set(values_said())))
def test_a_refusal_says_values_as_the_config_takes_them(field: str, value: Any) -> None:
    path = field.split(".")
    if value == "none":
        above = [located(Stack, path[:end]).field for end in range(1, len(path) + 1)]
        assert any(may_be_absent(it) for it in above[1:])
    else:
        TypeAdapter[Any](located(Stack, path).annotation).validate_python(value)
