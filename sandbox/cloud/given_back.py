"""What the provider has in its state of each input, once Google has answered, and which of the
differences from a program's inputs it shows: sandbox/data/given-back.yaml.

A path has no places of lists, and ends at a map.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from catalog.strict_yaml import read_yaml
from cli.errors import UserError

FILE = Path(__file__).parent.parent / "data" / "given-back.yaml"
# How Google's own answer differs from what was sent; every path of the program is in one of them.
ANSWERS = ("as_sent", "left_out", "state_only", "full_path", "normalised", "added_to")
NormalForm = Literal["UTC", "upper case", "no zeros"]
Comparison = Literal[
    "name", "relative path", "case", "case of a person", "known keys", "daily", "any order"
]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LeftOut(_Form):
    """The answer has no such value: not at all, or not beside another path."""

    beside: str | None = None
    source: str


class FullPath(_Form):
    """`form` has the resource's own inputs by name, and `{0}`, which is what was sent."""

    form: str = Field(alias="as")
    compared: Comparison
    source: str


class Normalised(_Form):
    to: NormalForm
    source: str


class AddedTo(_Form):
    """Google's own entries of a map, or of a list, are those that begin with `prefix`; the provider
    shows none of them. `adds` are some of them, with their values in a map."""

    prefix: str
    adds: dict[str, str]
    source: str


class Unasked(_Form):
    where: str
    source: str


class Shown(_Form):
    beside: str
    source: str


class Compared(_Form):
    by: Comparison
    source: str


class TypeTable(_Form):
    """One resource type; `read` is the provider's function that has Google's answer."""

    read: str
    as_sent: tuple[str, ...] = ()
    left_out: dict[str, LeftOut] = Field(default_factory=dict[str, LeftOut])
    state_only: dict[str, str] = Field(default_factory=dict[str, str])
    full_path: dict[str, FullPath] = Field(default_factory=dict[str, FullPath])
    normalised: dict[str, Normalised] = Field(default_factory=dict[str, Normalised])
    added_to: dict[str, AddedTo] = Field(default_factory=dict[str, AddedTo])
    unasked: dict[str, Unasked] = Field(default_factory=dict[str, Unasked])
    kept: dict[str, str] = Field(default_factory=dict[str, str])
    unseen: dict[str, str] = Field(default_factory=dict[str, str])
    shown: dict[str, Shown] = Field(default_factory=dict[str, Shown])
    compared: dict[str, Compared] = Field(default_factory=dict[str, Compared])

    @model_validator(mode="after")
    def _said_once(self) -> Self:
        said = [path for kind in ANSWERS for path in getattr(self, kind)]
        if twice := sorted({path for path in said if said.count(path) > 1}):
            raise ValueError(f"said twice: {', '.join(twice)}")
        return self

    @property
    def answers(self) -> Mapping[str, str]:
        """The kind of answer by path."""
        return {path: kind for kind in ANSWERS for path in getattr(self, kind)}

    @property
    def names(self) -> frozenset[str]:
        """The inputs that a program sets."""
        return frozenset(path.partition(".")[0] for path in self.answers)

    def unlisted(self, values: Mapping[str, Any]) -> Iterator[str]:
        """Paths of a program's inputs of which the table does not say what Google answers."""
        yield from dict.fromkeys(self._unlisted(values, ""))

    def _unlisted(self, value: Any, path: str) -> Iterator[str]:
        if path in self.answers:
            return
        if path and not self._leads_to(path):
            yield path
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                yield from self._unlisted(inner, f"{path}.{key}" if path else key)
        elif isinstance(value, list):
            for inner in value:
                yield from self._unlisted(inner, path)

    def _leads_to(self, path: str) -> bool:
        return any(row.startswith(f"{path}.") for row in self.answers)

    # -- what is in the state

    def answered(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """What the state has of what was sent."""
        state = deepcopy(dict(sent))
        for path, row in self.left_out.items():
            if row.beside is None or values_at(sent, row.beside):
                _change(state, path, lambda value: "" if isinstance(value, str) else None)
        for path, full in self.full_path.items():
            _change(state, path, lambda value, form=full.form: _formed(form, value, sent))
        for path, row in self.normalised.items():
            _change(state, path, _FORMS[row.to])
        return state

    def with_own_entries(self, answered: Mapping[str, Any]) -> dict[str, Any]:
        """With what Google adds; a refresh takes none of that for the program's inputs."""
        state = deepcopy(dict(answered))
        for path, added in self.added_to.items():
            _change(state, path, lambda value, adds=added.adds: _with(value, adds))
        return state

    def with_state_only(
        self, answered: Mapping[str, Any], known: Mapping[str, Any]
    ) -> dict[str, Any]:
        """An answer to a read, with what the provider has in its state alone."""
        return {
            **{key: value for key, value in answered.items() if key not in self.state_only},
            **{key: known[key] for key in self.state_only if key in known},
        }

    def known_by_id(self, inputs: Mapping[str, Any], resource_id: str) -> dict[str, Any]:
        """What an import has in the state beside the answer: the parts of the id (hashicorp/
        terraform-provider-google-beta google-beta/services/lustre/resource_lustre_instance.go:1130,
        ParseImportId, 93c65b2d60)."""
        parts = resource_id.split("/")
        named = {key: str(inputs.get(key)).rpartition("/")[2] for key in self.state_only}
        return {key: name for key, name in named.items() if name in parts}

    # -- what is a difference

    def with_kept(self, olds: Mapping[str, Any], news: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs of an update, with what they leave out and the provider keeps."""
        merged = deepcopy(dict(news))
        shown = {path for path, row in self.shown.items() if values_at(olds, row.beside)}
        for path in sorted(self.kept.keys() - shown, key=lambda it: (it.count("."), it)):
            _keep(olds, merged, path.split("."))
        return merged

    def seen(self, olds: Mapping[str, Any], news: Mapping[str, Any]) -> dict[str, Any]:
        """The new inputs, with the old state's own value wherever the provider shows no
        difference from it."""
        merged = self.with_kept(olds, news)
        rules = {path: _COMPARISONS[row.compared] for path, row in self.full_path.items()}
        rules |= {path: _COMPARISONS[row.by] for path, row in self.compared.items()}
        rules |= {path: _without(row.prefix) for path, row in self.added_to.items()}
        for path, same in rules.items():
            _settle(olds, merged, path.split("."), same)
        self._settle_empty(olds, merged, "")
        return merged

    def _settle_empty(self, olds: Any, news: Any, above: str) -> None:
        """The provider takes an empty text, zero and false for what is left out
        (terraform-plugin-sdk v2); the keys of a map are none of its inputs."""
        for old, new in _pairs(olds, news):
            for key, value in old.items():
                path = f"{above}.{key}" if above else key
                if path not in self.answers and not self._leads_to(path):
                    continue
                if new.get(key) is None and value in ("", 0, False, [], {}):
                    new[key] = value
                elif self._leads_to(path):
                    self._settle_empty(value, new.get(key), path)


class GivenBack(_Form):
    """Every resource type that the sandbox knows."""

    provider: str
    date: date
    types: dict[str, TypeTable]

    @staticmethod
    @cache
    def load() -> GivenBack:
        try:
            return GivenBack.model_validate(read_yaml(FILE))
        except ValidationError as error:
            raise UserError(f"{FILE.name}: {error}") from None

    def of(self, token: str) -> TypeTable:
        return self.types.get(token, _NOTHING)


_NOTHING = TypeTable(read="nothing")


def values_at(values: Mapping[str, Any], path: str) -> list[Any]:
    """What stands at a path, in each entry of the lists on the way."""
    found: list[Any] = [values]
    for part in path.split("."):
        inner = [it[part] for it in found if isinstance(it, Mapping) and it.get(part) is not None]
        found = [one for it in inner for one in (it if isinstance(it, list) else [it])]
    return found


def _change(values: Any, path: str, change: Callable[[Any], Any]) -> None:
    """Changes what stands at a path; None takes it away."""
    first, _, rest = path.partition(".")
    for one in values if isinstance(values, list) else [values]:
        if not isinstance(one, dict) or one.get(first) is None:
            continue
        if rest:
            _change(one[first], rest, change)
            continue
        changed = change(one[first])
        if changed is None:
            del one[first]
        else:
            one[first] = changed


def _formed(form: str, value: Any, inputs: Mapping[str, Any]) -> Any:
    if not isinstance(value, str):
        return value
    sent = _relative(value) if "/" in value and "://" in form else value
    if "/" in value and "://" not in form:
        # A path is one already.
        return _relative(value)
    return form.format(sent, **{key: it for key, it in inputs.items() if isinstance(it, str)})


def _with(value: Any, adds: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {**adds, **value}
    if isinstance(value, list):
        return [*value, *(it for it in adds if it not in value)]
    return value


def _keep(olds: Any, news: Any, path: Sequence[str]) -> None:
    first, *rest = path
    for old, new in _pairs(olds, news):
        if old.get(first) is None:
            continue
        if rest:
            _keep(old[first], new.get(first), rest)
        elif new.get(first) in (None, {}, []):
            new[first] = deepcopy(old[first])


def _settle(olds: Any, news: Any, path: Sequence[str], same: Callable[[Any, Any], bool]) -> None:
    first, *rest = path
    for old, new in _pairs(olds, news):
        before, after = old.get(first), new.get(first)
        # What is not known yet is of another type than what is.
        if before is None or type(before) is not type(after):
            continue
        if rest:
            _settle(before, after, rest, same)
        elif same(before, after):
            new[first] = deepcopy(before)


def _pairs(olds: Any, news: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """A block with itself, or the entries of lists that are as long."""
    if isinstance(olds, list) and isinstance(news, list) and len(olds) == len(news):
        for old, new in zip(olds, news, strict=True):
            yield from _pairs(old, new)
    elif isinstance(olds, dict) and isinstance(news, dict):
        yield olds, news


def _relative(path: str) -> str:
    return path[path.index("projects/") :] if "projects/" in path else path


def _same_name(old: Any, new: Any) -> bool:
    """CompareSelfLinkOrResourceName, google-beta/tpgresource/self_link_helpers.go."""
    if not isinstance(old, str) or not isinstance(new, str):
        return False
    if "/" not in new:
        return old.rpartition("/")[2] == new
    return _relative(old) == _relative(new)


def _same_path(old: Any, new: Any) -> bool:
    return isinstance(old, str) and isinstance(new, str) and _relative(old) == _relative(new)


def _same_case(old: Any, new: Any) -> bool:
    return str(old).casefold() == str(new).casefold()


def _same_person(old: Any, new: Any) -> bool:
    """IamPrincipalIsCaseSensitive, google-beta/tpgresource/utils.go:1062."""
    exact = ("principal:", "principalSet:", "principalHierarchy:", "allUsers", "allAuth")
    if any(str(it).startswith(exact) for it in (old, new)):
        return old == new
    return _same_case(old, new)


def _daily(old: Any, new: Any) -> bool:
    return (old, new) == ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "FREQ=DAILY")


def _any_order(old: Any, new: Any) -> bool:
    lists = isinstance(old, list) and isinstance(new, list)
    return lists and sorted(map(str, old)) == sorted(map(str, new))


def _known_keys(old: Any, new: Any) -> bool:
    """The old document without what the new one has not."""
    try:
        before, after = json.loads(old), json.loads(new)
    except json.JSONDecodeError:
        return False
    return _without_computed(before, after) == after


def _without_computed(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: _without_computed(it, new[key]) for key, it in old.items() if key in new}
    if isinstance(old, list) and isinstance(new, list):
        rest = old[len(new) :]
        return [*(_without_computed(*both) for both in zip(old, new, strict=False)), *rest]
    return old


def _without(prefix: str) -> Callable[[Any, Any], bool]:
    """Equal but for Google's own entries."""

    def same(old: Any, new: Any) -> bool:
        if isinstance(old, dict):
            return {key: it for key, it in old.items() if not key.startswith(prefix)} == new
        mine = [it for it in old if not str(it).startswith(prefix) or it in new]
        return _any_order(mine, new)

    return same


def _utc(value: Any) -> Any:
    """An RFC 3339 time."""
    if not isinstance(value, str):
        return value
    return datetime.fromisoformat(value).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _without_zeros(value: Any) -> Any:
    """A JSON document."""
    if not isinstance(value, str):
        return value
    try:
        return json.dumps(_kept_of(json.loads(value)), sort_keys=True)
    except json.JSONDecodeError:
        return value


def _kept_of(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _kept_of(it) for key, it in value.items() if it not in (0, [])}
    return [_kept_of(it) for it in value] if isinstance(value, list) else value


_FORMS: Mapping[NormalForm, Callable[[Any], Any]] = {
    "UTC": _utc,
    "upper case": lambda value: value.upper() if isinstance(value, str) else value,
    "no zeros": _without_zeros,
}
_COMPARISONS: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    "name": _same_name,
    "relative path": _same_path,
    "case": _same_case,
    "case of a person": _same_person,
    "known keys": _known_keys,
    "daily": _daily,
    "any order": _any_order,
}
