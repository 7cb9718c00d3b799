"""What is wrong with an answer to a wrong config."""

import re
import time
from collections.abc import Iterator
from typing import Any

import yaml
from pydantic import BaseModel
from pydantic_core._pydantic_core import list_all_errors

from catalog.table import Fact
from stacks.tried import place_of
from stacks.types import Block
from tests.programs import WITH_ALL_SECRETS, lines_of
from tests.unit.wrong_configs import Mutant, Place, with_value

# Of computing; a config takes some tenths.
SECONDS = 60.0
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|\{[^}]*\}+|\[[^]]*\]|[^\s,{}"\[\]]+')
_LIBRARY = frozenset(
    part.strip(" '\"").lower()
    for it in list_all_errors()
    for part in re.split(r"\{\w+\}", f"{it['message_template_python']}")
    if part.strip(" '\"").count(" ") >= 2
)


def _subclasses(model: type[BaseModel]) -> Iterator[str]:
    for it in model.__subclasses__():
        yield it.__name__
        yield from _subclasses(it)


_CLASSES = frozenset(
    it for model in (Block, Fact) for it in _subclasses(model) if re.search(r"[a-z][A-Z]", it)
)
_REPR = re.compile(
    r"\b(?:None|True|False|Undefined\w*|Pydantic\w*|validat\w+ error|default factory"
    r"|dict|tuple|str|int|bool|float|<class|object at)\b"
)


def written(path: Place) -> str:
    whole = "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in path)
    return whole.removeprefix(".")


def named(line: str) -> str:
    return line.partition(": ")[0].removeprefix("stack.").removeprefix("gcp:")


def is_within(inner: str, outer: str) -> bool:
    return inner.startswith(outer) and inner[len(outer) : len(outer) + 1] in ("", ".", "[")


def faults(mutant: Mutant) -> list[str]:
    """Each with its kind before the colon."""
    began = time.process_time()
    try:
        lines = lines_of(mutant.config, WITH_ALL_SECRETS)
    except Exception as error:
        return [f"traceback: {type(error).__name__}: {error!s:.200}"]
    took = time.process_time() - began
    found = [f"hang: {took:.1f} s"] if took > SECONDS else []
    path = printed(written(mutant.path))
    at = [it for it in lines if is_within(named(it), path)]
    # A name is not there any more, and what names it leads nowhere.
    gone = mutant.before if isinstance(mutant.before, list) else [mutant.before]
    if at:
        lines = tuple(it for it in lines if it in at or not any(f'"{one}"' in it for one in gone))
    if mutant.wrong and not lines:
        found.append("accepted: ")
    elif mutant.wrong and not at:
        found.append(f"elsewhere: {lines!s:.300}")
    elif mutant.wrong and len(at) < len(lines) and not _has_other_names(mutant):
        found.append(f"more than one: {[it for it in lines if it not in at]!s:.400}")
    elif mutant.wrong and len(lines) > 1 and not _is_container(mutant):
        found.append(f"more than one: {lines!s:.400}")
    if lines and all(path != named(it) and is_within(path, named(it)) for it in lines):
        found.append(f"at its parent: {lines!s:.300}")
    for line in lines:
        own = _at(mutant.config, mutant.path)
        others = line.replace(f'"{own}"', '""') if isinstance(own, str) else line
        found += [f"words: {it}" for it in _library_words(others)]
        if not line.isprintable() or len(line) > 700:
            found.append(f"not a line: {line:.100}")
        found += [f"offer: {it}" for it in failed_offers(mutant.config, line)]
    return found


def printed(text: str) -> str:
    return "".join(it if it.isprintable() else "\N{REPLACEMENT CHARACTER}" for it in text)


def _is_container(mutant: Mutant) -> bool:
    here: Any = mutant.config
    for part in mutant.path:
        if isinstance(here, dict) and part not in here:
            return False
        here = here[part]
    return isinstance(here, dict | list)


def _has_other_names(mutant: Mutant) -> bool:
    """A block takes the place of another, so that names of its entries lead nowhere any more."""
    return isinstance(_at(mutant.config, mutant.path), dict)


def _library_words(line: str) -> Iterator[str]:
    message = line.partition(": ")[2]
    for words in _LIBRARY:
        if words in message.lower():
            yield f"{words!r} in {line:.200}"
    for found in _REPR.finditer(message):
        yield f"{found[0]!r} in {line:.200}"
    for name in _CLASSES:
        if re.search(rf"\b{name}\b", message):
            yield f"{name} in {line:.200}"
    near = message.rpartition("; nearest: ")[2]
    if near in ("text", "a number", "a whole number", "a list", "a block of keys"):
        yield f"{near!r} is no value, in {line:.200}"


def failed_offers(config: dict[str, Any], line: str) -> Iterator[str]:
    """What a line offers that is refused where the line points."""
    field = named(line)
    message = line.partition(": ")[2]
    head, separator, near = message.rpartition("; nearest: ")
    if not separator:
        return
    place = place_of(config, field)
    if head.startswith("there is no such key"):
        yield from _failed_keys(config, line, place, near)
        return
    if message.startswith((f'"{place[-1]}"', "its name: ")):
        # The name of an entry is wrong, and another name is offered.
        return
    for value in offered(near):
        better = _replaced(config, place, value)
        if better is None:
            continue
        again = [it for it in lines_of(better, WITH_ALL_SECRETS) if is_within(named(it), field)]
        if again:
            yield f"{value!r} of {line!r:.300} leads to {again[0]!r:.300}"


def _failed_keys(config: dict[str, Any], line: str, place: Place, near: str) -> Iterator[str]:
    first = re.split(r", |: ", near)[0]
    if first == "leave it out" or "NAME" in first:
        return
    if first.startswith("stack."):
        target = place_of(config, first.removeprefix("stack."))
        if first.endswith(f".{place[-1]}") and target[-1] != place[-1]:
            # A name with dots in it, which nothing there has yet.
            above = first.removeprefix("stack.").removesuffix(f".{place[-1]}")
            target = (*place_of(config, above), place[-1])
    else:
        target = (*place[:-1], first)
    here = _at(config, place)
    try:
        better = with_value(config, place, None, gone=True)
        for end in range(1, len(target)):
            if not isinstance(_at(better, target[:end]), dict | list):
                better = with_value(better, target[:end], {})
        better = with_value(better, target, here)
    except (LookupError, TypeError, ValueError):
        yield f"{first!r} is no place for what {line!r:.300} is about"
        return
    lines = lines_of(better, WITH_ALL_SECRETS)
    again = [it for it in lines if named(it) == written(target) and "no such key" in it]
    if again:
        yield f"{first!r} of {line!r:.300} leads to {again[0]!r}"


def _at(value: Any, place: Place) -> Any:
    for part in place:
        try:
            value = value[part]
        except (LookupError, TypeError):
            return None
    return value


def offered(near: str) -> list[Any]:
    """The values that are offered; none where it is something to do."""
    if near.startswith("leave it out"):
        return [None]
    near = re.split(r", or |\. [A-Z]|, with quotes", near)[0].removeprefix("one like ")
    found = _VALUE.findall(near)
    if ", ".join(found) != near:
        return []
    return [it if it in ("off", "on", "yes", "no") else yaml.safe_load(it) for it in found]


def _replaced(config: dict[str, Any], place: Place, value: Any) -> dict[str, Any] | None:
    if place[-1:] == (0,) and isinstance(_at(config, place[:-1]), str):
        # One name that stands for a list of it.
        place = place[:-1]
    try:
        if value is None:
            return with_value(config, place, None, gone=True)
        return with_value(config, place, value)
    except (LookupError, TypeError, ValueError):
        return None
