"""One mistake in a config: where it is, why, and what puts it right. No Pulumi."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from stacks.offers import NEAREST, REMOVE, Suggestion, split, yaml_text
from stacks.plain_values import Flaw, Place, printable
from stacks.problems import Problem

HIDDEN = "not valid; the value is a secret and stays out of this message"
_PROVIDER_KEYS = {"project": "gcp:project", "region": "gcp:region", "zone": "gcp:zone"}
# Of a line before what is nearest, and of that: the longest name has 253 characters.
_LONGEST_REASON = 300
_LONGEST_NEAREST = 270
_LONGEST_PART = 80


@dataclass(frozen=True)
class Mistake:
    """`path` is what the user writes below the config object, `place` the same part by part.

    What puts it right is a value in `suggestion`, or the keys in `surplus` go, of which the first
    may belong to the place `moved`, where it may have another value, to those in `or_moved`, or
    `anywhere`, under a name that is not known. Of an `example` it is not known what the user wants.
    `farthest` is another value that would do, as are `alternatives`; `repaired` is one that is not
    shown. What `leads_nowhere` names what there is not.
    """

    path: str
    reason: str
    suggestion: Suggestion | None = None
    place: Place = ()
    farthest: Any = field(default=None, compare=False)
    surplus: tuple[str, ...] = ()
    moved: Place | None = None
    moved_value: Any = field(default=None, compare=False)
    alternatives: tuple[Any, ...] = field(default=(), compare=False)
    anywhere: Place | None = field(default=None, compare=False)
    or_moved: tuple[Place, ...] = field(default=(), compare=False)
    repaired: str | None = None
    example: bool = False
    missing: bool = False
    of_key: bool = False
    of_rules: bool = False
    leads_nowhere: bool = False

    @classmethod
    def of_flaw(cls, flaw: Flaw) -> Self:
        """Of a value that is none for any field; without the value, and short of unseen text."""
        reason, suggestion = split(flaw.message)
        path = written(flaw.place)
        if flaw.of_key:
            *block, key = flaw.place
            moved = (*block, flaw.nearest) if flaw.nearest else None
            return cls(
                path,
                reason,
                suggestion,
                tuple(block),
                surplus=(str(key),),
                moved=moved,
                of_key=True,
            )
        return cls(path, reason, suggestion, flaw.place, repaired=flaw.nearest)

    @classmethod
    def of_rule(cls, problem: Problem, *, hide_values: bool, leads_nowhere: bool = False) -> Self:
        message = HIDDEN if hide_values else problem.message
        reason, suggestion = split(message)
        return cls(
            problem.field,
            reason,
            suggestion,
            of_key=problem.of_key,
            of_rules=True,
            leads_nowhere=leads_nowhere,
        )

    @property
    def nearest(self) -> Any:
        """The value that puts it right; None where none is known to be what the user wants."""
        if self.repaired is not None:
            return self.repaired
        if self.example or self.suggestion is None or not self.suggestion.offers:
            return None
        value = self.suggestion.offers[0].value
        return None if value is REMOVE else value

    def suggesting(self, suggestion: Suggestion) -> Self:
        """The same mistake with what another message suggests."""
        return replace(self, suggestion=suggestion)

    @property
    def line(self) -> str:
        """In one line that ends, whatever the value was."""
        reason = _cut(_one_line(self.reason), _LONGEST_REASON)
        if self.suggestion is None:
            return f"{field_name(self.path)}: {reason}"
        near = _cut(_one_line(self.suggestion.text), _LONGEST_NEAREST)
        return f"{field_name(self.path)}: {reason}{NEAREST}{near}"


def together(mistakes: Sequence[Mistake], raw: Mapping[str, Any]) -> list[Mistake]:
    """Keys of one block that all belong into another block are one mistake; so are a value that its
    key does not take, and the key of the same name that a block beside it misses."""
    mistakes = _above_where_missing(mistakes, raw)
    result: list[Mistake] = []
    groups: dict[tuple[Place, Place], list[Mistake]] = {}
    for one in mistakes:
        if one.moved is not None and not one.of_key and one.moved[:-1] != one.place:
            group = groups.setdefault((one.place, one.moved[:-1]), [])
            group.append(one)
            if len(group) > 1:
                continue
        result.append(one)
    for (place, target), group in groups.items():
        if len(group) > 1:
            block = _value_at(raw, place)
            values = {str(it.moved[-1]): block[it.surplus[0]] for it in group if it.moved}
            keys = " and ".join(it.surplus[0] for it in group)
            reason = (
                f"there is no such key here, and {keys} belong together in a block of their own"
            )
            near = f"{field_name(written(target))}: {yaml_text(values)}"
            result[result.index(group[0])] = replace(
                group[0], reason=reason, suggestion=Suggestion(rest=near)
            )
    return result


def _above_where_missing(mistakes: Sequence[Mistake], raw: Mapping[str, Any]) -> list[Mistake]:
    result = list(mistakes)
    for one in mistakes:
        if not one.missing or len(one.place) < 2:
            continue
        above = (*one.place[:-2], one.place[-1])
        wrong = next((it for it in result if it.place == above and not it.of_rules), None)
        if wrong is None or wrong.missing or wrong.surplus:
            continue
        value = yaml_text(_value_at(raw, above))
        meant = Suggestion(rest=f"{field_name(written(one.place))}: {value}")
        result[result.index(wrong)] = replace(wrong, suggestion=meant)
        result.remove(one)
    return result


def field_name(path: str) -> str:
    """A field's path as the user writes it."""
    return _PROVIDER_KEYS.get(path, f"stack.{path}")


def written(place: Place) -> str:
    """A place as a path."""
    parts = [
        f"[{part}]" if isinstance(part, int) else f".{printable(str(part))[:_LONGEST_PART]}"
        for part in place
    ]
    return "".join(parts).removeprefix(".")


def _value_at(raw: Any, place: Place) -> Any:
    for part in place:
        raw = raw[part]
    return raw


def _one_line(text: str) -> str:
    return printable(text.replace("\n", " "))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
