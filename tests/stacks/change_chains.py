"""Chains of changes by seed, several fields at once: a stack A becomes B, then C, then A again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.conftest import changed
from tests.parts.bystanders import Bystanders
from tests.programs import WITH_ALL_SECRETS, lines_of
from tests.stacks.change_rule import Config, Outcome, Start
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES

_MOST_FIELDS = 4
# What a protected stack refuses is for its owner to agree to, and not for what is tried here.
_LEFT_OUT = "deletion_protection"
_CHANGES = {
    base: [it for of, it in CHANGES if of == base and _LEFT_OUT not in it] for base in BASES
}
_STACKS = [base for base, changes in _CHANGES.items() if len(changes) > 1]


@dataclass(frozen=True)
class Chain:
    """`fields` are what the second and the third config have other than the first."""

    stack: str
    first: Config
    others: tuple[Config, Config]
    fields: tuple[dict[str, Any], ...]


def chain(seed: int) -> Chain:
    random = Random(seed)
    stack = random.choice(_STACKS)
    first = {**BASES[stack], "deletion_protection": False}
    (one, its), (other, others) = (_drawn(random, stack, first) for _ in range(2))
    return Chain(stack, first, (one, other), (its, others))


def _drawn(random: Random, stack: str, first: Config) -> tuple[Config, dict[str, Any]]:
    """A config that is right, and what in it differs."""
    while True:
        count = min(random.randint(1, _MOST_FIELDS), len(_CHANGES[stack]))
        fields: dict[str, Any] = {}
        for change in random.sample(_CHANGES[stack], count):
            fields |= change
        # Of two changes one may take away what the other is of.
        with suppress(LookupError, TypeError, AttributeError):
            config = changed(first, **fields)
            if not lines_of(config, WITH_ALL_SECRETS):
                return config, fields


def followed(start: Start, folder: Path, chain: Chain) -> list[Outcome]:
    """The outcome of each step. A step that was refused, and that no command does, is left out: the
    next one is from where the stack still is. Raises BrokenPromiseError."""
    running = start.running(folder / "running")
    first = running.facts()
    fresh = [start.fresh(folder / f"fresh-{place}", it) for place, it in enumerate(chain.others)]
    expected = [*(it.facts() for it in fresh), first]
    running.others = Bystanders(running.sandbox, queued=True)
    running.others.come()
    steps = zip([*chain.others, chain.first], expected, strict=True)
    outcomes = [running.change(config, facts) for config, facts in steps]
    running.others.leave()
    running.leave_nothing()
    return outcomes
