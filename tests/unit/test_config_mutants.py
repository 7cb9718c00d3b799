"""Thousands of wrong configs: each is refused under the field that is wrong, or is right; none ends
in a traceback or takes a second, and what stands after "nearest" is what goes.

It proves nothing about what Google would say to the ones that pass.
"""

import re
import time
from copy import deepcopy
from random import Random
from typing import Any

import pytest
import yaml

from tests.parts.commit_sample import of_this_commit
from tests.programs import WITH_ALL_SECRETS, lines_of
from tests.unit.config_mutants import CONFIGS, Mutant, mutants

SEED = 20261122
SECONDS = 1.0
_PARTS = 9
WITHIN = ("nearest: a block of keys", "nearest: a list")
# What is one value, or a few to choose from, and no sentence.
_VALUE = re.compile(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]|[^\s,{}"\[\]]+')
_WORDS = frozenset({"text", "missing"})


def named(line: str) -> str:
    return line.partition(": ")[0].removeprefix("stack.").removeprefix("gcp:")


def written(path: tuple[str | int, ...]) -> str:
    whole = "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in path)
    return whole.removeprefix(".")


def related(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long.startswith(short)


def offered(line: str) -> list[Any]:
    """The values that a line offers; none where it offers something to do."""
    head, separator, near = line.rpartition("; nearest: ")
    near = near.partition(". ")[0].removeprefix("one like ")
    if near == "leave it out":
        return [None]
    # After "or" comes another way.
    near = near.partition(", or ")[0]
    if near == "none":
        return ["none"]
    found = _VALUE.findall(near)
    if not separator or ", ".join(found) != near or set(found) & _WORDS or "key" in head[-20:]:
        return []
    return [_value(it) for it in found]


def _value(text: str) -> Any:
    """As a config has it; `off` is no word for false in Pulumi's YAML."""
    return text if text in ("off", "on", "yes", "no") else yaml.safe_load(text)


def replaced(config: dict[str, Any], field: str, value: Any) -> dict[str, Any] | None:
    """None where the field is not one that a value can be put into."""
    result = deepcopy(config)
    parts = [int(it) if it.isdecimal() else it for it in re.findall(r"[^.\[\]]+", field)]
    here: Any = result
    for part in parts[:-1]:
        if isinstance(here, dict):
            here = here.setdefault(part, {})
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            here = here[part]
        if not isinstance(here, dict | list):
            return None
    if isinstance(here, list) and not isinstance(parts[-1], int):
        return None
    if value is not None:
        here[parts[-1]] = value
    elif isinstance(here, list) or parts[-1] in here:
        del here[parts[-1]]
    return result


def failed_suggestions(mutant: Mutant, line: str) -> list[str]:
    if "there is no such key" in line or "missing; " in line:
        return []
    field = named(line)
    if line.partition(": ")[2].startswith(f'"{field.rpartition(".")[2]}"'):
        # The name of an entry is wrong, and another name is offered.
        return []
    failed: list[str] = []
    for value in offered(line):
        better = replaced(mutant.config, field, value)
        again = (
            []
            if better is None
            else [it for it in lines_of(better, WITH_ALL_SECRETS) if named(it) == field]
        )
        # Then it is a value within the block.
        lines = () if better is None else lines_of(better, WITH_ALL_SECRETS)
        # What ends so is told of a value within the block.
        again = [it for it in lines if named(it) == field and not it.endswith(WITHIN)]
        failed += [f"{value!r} for {line!r} leads to {it!r}" for it in again[:1]]
    return failed


def timed(config: dict[str, Any]) -> tuple[tuple[str, ...], float]:
    """What is refused, and the seconds of computing that it took."""
    began = time.process_time()
    lines = lines_of(config, WITH_ALL_SECRETS)
    return lines, time.process_time() - began


def found_wrong(mutant: Mutant) -> list[str]:
    """Everything that a mutant shows to be wrong with the program."""
    try:
        lines, took = timed(mutant.config)
        # What a machine's pause makes slow is quick again; what hangs, hangs every time.
        if took > SECONDS:
            took = min(took, *(timed(mutant.config)[1] for _ in range(3)))
    except Exception as error:
        return [f"traceback: {type(error).__name__}: {error!s:.200}"]
    found = [f"took {took:.1f} s"] if took > SECONDS else []
    if mutant.wrong:
        field = written(mutant.path)
        if not any(related(named(it), field) for it in lines):
            found.append(f"not refused under its field, but: {lines!s:.200}")
    found += [f"not one line: {it!r:.100}" for it in lines if not it.isprintable() or len(it) > 700]
    for line in lines:
        found += failed_suggestions(mutant, line)
    return found


def check(count: int, seed: int) -> None:
    wrong = {
        f"{it.stack} {written(it.path)} = {it.what}": found
        for it in mutants(seed, count)
        if (found := found_wrong(it))
    }
    shown = "\n".join(f"{what}: {'; '.join(found)}" for what, found in wrong.items())
    assert not wrong, f"seed {seed}, {len(wrong)} of {count}:\n{shown}"


def test_a_config_with_anything_changed_is_right_or_is_refused_under_its_field() -> None:
    check(360, SEED)


def test_several_changes_at_once_end_in_no_traceback() -> None:
    random, refused = Random(SEED), 0
    for number in range(30):
        name = list(CONFIGS)[number % len(CONFIGS)]
        config = CONFIGS[name]
        for _ in range(3):
            (mutant,) = mutants(random.randrange(10**6), 1, {name: config})
            config = mutant.config
        refused += bool(lines_of(config, WITH_ALL_SECRETS))
    assert refused > 20


def parts_tried() -> list[int]:
    """All of them with ALL_COMBINATIONS=1; else a third, another one for each commit."""
    return of_this_commit(list(range(_PARTS)), 3)


@pytest.mark.thorough
@pytest.mark.parametrize("part", parts_tried())
def test_thousands_of_configs_are_right_or_refused_under_their_field(part: int) -> None:
    seed = SEED + 1 + part
    print(f"seed {seed}")
    check(600, seed)


def test_the_corpus_is_the_same_for_the_same_seed() -> None:
    assert [it[:3] for it in mutants(7, 50)] == [it[:3] for it in mutants(7, 50)]


def test_the_corpus_has_what_is_refused_and_what_is_not() -> None:
    refused = [bool(lines_of(it.config, WITH_ALL_SECRETS)) for it in mutants(SEED, 90)]
    assert refused.count(True) > 30
    assert refused.count(False) > 5
