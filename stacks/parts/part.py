"""What a stack may have under one key of its config, as everything that goes over parts sees it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from catalog import Catalog
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.stack import Stack

Rule: TypeAlias = Callable[[Plan], Iterator[Problem]]
References: TypeAlias = Callable[[Stack, Catalog], Iterator[Problem]]
StandIns: TypeAlias = Callable[[Mapping[str, Any]], Sequence[Any]]
Advice: TypeAlias = Callable[[Plan], Iterator[str]]


def _nothing(*_: Any) -> Iterator[Any]:
    return iter(())


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part by the `key` of its block in the config.

    `references` finds names of other parts, and facts, that lead nowhere: a config with any has no
    plan. `rules` find everything else that is wrong with a plan, and are asked of a stack that has
    the block, or of which `is_named` says that another part names it. `stand_ins` gives blocks that
    take the place of one that cannot be read, so that the rest of the config is judged all the
    same; rules say different things of each. `advice` is what valid configs are warned of.
    """

    key: str
    rules: Sequence[Rule] = ()
    references: References = _nothing
    is_named: Callable[[Stack], bool] = lambda _: False
    stand_ins: StandIns = lambda _: ()
    advice: Sequence[Advice] = ()

    def is_asked(self, stack: Stack) -> bool:
        return bool(getattr(stack, self.key)) or self.is_named(stack)


def texts_at(raw: Mapping[str, Any], *keys: tuple[str, str]) -> tuple[str, ...]:
    """The texts behind a key of the entries of a part, or in a list or the keys of a block there,
    each once. `raw` is the config before it is read, `keys` are pairs of part and key."""
    texts = set[str]()
    for part, key in keys:
        entries = raw.get(part)
        for entry in entries.values() if isinstance(entries, dict) else ():
            value = entry.get(key) if isinstance(entry, dict) else None
            values = value if isinstance(value, list | dict) else [value]
            texts |= {it for it in values if isinstance(it, str)}
    return tuple(sorted(texts))
