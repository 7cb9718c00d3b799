"""YAML in which nothing is said twice: repeated keys are errors, and every error is a line that
names its place. Whatever YAML people or this project write is read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml.reader import ReaderError

Place = tuple[str | int, ...]
# The text of a key by which it is the same as another.
KeyText = Callable[[yaml.ScalarNode], str]

_VALUES: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NODES: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
STRING = "tag:yaml.org,2002:str"
# A scalar without quotes and tag, whose type its text tells.
PLAIN = "plain"

# A config has less than twenty levels.
_DEEPEST = 100
_NOT_CLOSED = "a {0} that is not closed, or a comma that is missing"
_INDENTATION = "another indentation than the first line of its {0}; nearest: the same one"
# What libyaml says of a text, and what that means to its author.
_MEANINGS = {
    "did not find expected ',' or '}'": _NOT_CLOSED.format("{"),
    "did not find expected ',' or ']'": _NOT_CLOSED.format("["),
    "mapping values are not allowed": "a key where none can stand; nearest: the indentation of "
    "the keys above, or quotes around a text with a colon",
    "did not find expected key": _INDENTATION.format("block"),
    "did not find expected '-'": _INDENTATION.format("list"),
    "block sequence entries are not allowed": "a list's entry where none can stand; nearest: a "
    "line of its own below the key",
    "could not find expected ':'": "a key without its colon, or a text of several lines without "
    "quotes",
    "found unexpected end of stream": "a quote that is not closed",
    "found undefined alias": "an alias (*NAME) without its anchor (&NAME) above",
    "found undefined tag handle": "a tag that YAML does not have; nearest: quotes around a text",
    "did not find expected node content": "a value is missing, or begins with a sign that YAML "
    "has for itself; nearest: quotes around a text",
    "did not find expected alphabetic": "a sign that YAML has for itself; nearest: quotes around "
    "a text",
    "found incompatible YAML document": "a line %YAML with a version that Pulumi does not read; "
    "nearest: no such line",
    "second occurrence": "an anchor (&NAME) that another value has already; nearest: another name",
    "did not find expected <document start>": "text behind the end of the document (a line ...)",
    "invalid Unicode character escape": "an escape of half a character; nearest: the character",
    "found unknown escape": "an escape that YAML does not have; nearest: single quotes",
    "found unhashable key": "a list or a block as a key; nearest: a text",
}


class YamlError(yaml.YAMLError):
    """Text that is no YAML, or says something twice: a line for each mistake."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


class Repeated(NamedTuple):
    """A key that stands several times in one block; `blocks`: each time with a block under it."""

    place: Place
    lines: tuple[int, ...]
    blocks: bool

    def line(self, name: str) -> str:
        """The mistake, where `name` is how the author knows the place."""
        *first, last = map(str, self.lines)
        same = not first or set(first) == {last}
        where = f"in line {last}" if same else f"in lines {', '.join(first)} and {last}"
        times = "twice" if len(self.lines) == 2 else f"{len(self.lines)} times"
        near = "one block with both" if self.blocks else "one of them"
        return f"{name}: stands {times}, {where}; nearest: {near}"


def read_yaml(file: Path) -> Any:
    """Plain values of a file with one document. Raises YamlError."""
    return load_yaml(file.read_bytes())


def load_yaml(text: str | bytes) -> Any:
    """Plain values of a text with one document, None of an empty one. Raises YamlError."""
    found = load_documents(text)
    if len(found) > 1:
        raise YamlError("a second document (a line ---) where one can stand")
    return found[0] if found else None


def load_documents(text: str | bytes) -> list[Any]:
    """Plain values of each document of the text. Raises YamlError."""
    found: list[Any] = []
    with _own_words(text):
        loader = _VALUES(text)
        try:
            while loader.check_node():
                node = loader.get_node()
                refuse_repeated_keys(node)
                found.append(loader.construct_document(node))
        finally:
            loader.dispose()
    return found


def compose(text: bytes) -> yaml.Node | None:
    """The tree of the text's only document, with PLAIN as the tag of a scalar that has neither tag
    nor quotes; None of an empty text. Raises YamlError."""
    with _own_words(text):
        _refuse_depth(text)
        loader = _NODES(text)
        loader.resolve = _tag
        try:
            node = loader.get_node() if loader.check_node() else None
            if not loader.check_node():
                return node
            line = loader.get_node().start_mark.line + 1
        finally:
            loader.dispose()
    raise YamlError(
        f"line {line}: a second document, which Pulumi passes over; nearest: one document, "
        "without the line ---"
    )


def _refuse_depth(text: bytes) -> None:
    """Composing goes down a level by a call of its own in C, and ends the process where these are
    too many (yaml/pyyaml 6.0.3, yaml/_yaml.pyx, _compose_node)."""
    depth = 0
    for event in yaml.parse(text, Loader=_NODES):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                line = event.start_mark.line + 1
                raise YamlError(
                    f"line {line}: more than {_DEEPEST} blocks or lists in each other; nearest: "
                    "fewer"
                )
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _tag(kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
    if kind is yaml.ScalarNode:
        return PLAIN if implicit[0] else STRING
    return ""


def _as_written(key: yaml.ScalarNode) -> str:
    return key.value


def refuse_repeated_keys(node: yaml.Node, text_of: KeyText = _as_written) -> None:
    if found := list(repeated_keys(node, text_of)):
        raise YamlError(*(it.line(place_name(it.place)) for it in found))


def repeated_keys(node: yaml.Node, text_of: KeyText = _as_written) -> Iterator[Repeated]:
    """Keys that stand several times, in the order of the document."""
    # What aliases lead to is looked at once.
    seen: set[int] = set()
    waiting: list[tuple[Place, yaml.Node]] = [((), node)]
    while waiting:
        place, one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        inner: list[tuple[Place, yaml.Node]] = []
        if isinstance(one, yaml.SequenceNode):
            inner = [((*place, index), it) for index, it in enumerate(one.value)]
        elif isinstance(one, yaml.MappingNode):
            keys: dict[str, list[tuple[yaml.Node, yaml.Node]]] = {}
            for key, value in one.value:
                if isinstance(key, yaml.ScalarNode):
                    text = text_of(key)
                    keys.setdefault(text, []).append((key, value))
                    inner.append(((*place, text), value))
            for text, pairs in keys.items():
                if len(pairs) > 1:
                    lines = tuple(key.start_mark.line + 1 for key, _ in pairs)
                    blocks = all(isinstance(value, yaml.MappingNode) for _, value in pairs)
                    yield Repeated((*place, text), lines, blocks)
        waiting.extend(reversed(inner))


def place_name(place: Place) -> str:
    """`rules[0].kind`."""
    parts = (f"[{it}]" if isinstance(it, int) else f".{it}" for it in place)
    return "".join(parts).removeprefix(".")


@contextmanager
def _own_words(text: str | bytes) -> Iterator[None]:
    try:
        yield
    except YamlError:
        raise
    except yaml.MarkedYAMLError as error:
        raise YamlError(_said(error, text)) from None
    except ReaderError as error:
        raise YamlError(_unreadable(error)) from None
    except RecursionError:
        raise YamlError("blocks or lists in each other without an end") from None
    except UnicodeError:
        raise YamlError("characters that are not UTF-8") from None
    except (ValueError, yaml.YAMLError) as error:
        raise YamlError(f"a value that YAML cannot hold: {error}") from None


def _said(error: yaml.MarkedYAMLError, text: str | bytes) -> str:
    mark, problem = error.problem_mark or error.context_mark, error.problem or "cannot be read"
    # Each has one (yaml/pyyaml 6.0.3, yaml/_yaml.pyx, _parser_error and _compose_node).
    assert mark is not None
    where = f"line {mark.line + 1}, column {mark.column + 1}"
    if "cannot start any token" in problem:
        return f"{where}: {_bad_start(text, mark)}"
    if "tab" in problem.split():
        return f"{where}: a tab; YAML takes spaces"
    meaning = next((it for known, it in _MEANINGS.items() if known in problem), problem)
    begun = error.context_mark
    since = f" (begun in line {begun.line + 1})" if begun and begun.line < mark.line else ""
    reason, separator, near = meaning.partition("; nearest: ")
    return f"{where}: {reason}{since}{separator}{near}"


def _bad_start(text: str | bytes, mark: yaml.Mark) -> str:
    whole = text.decode(errors="replace") if isinstance(text, bytes) else text
    lines = whole.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").splitlines()
    rest = lines[mark.line][mark.column :] if mark.line < len(lines) else ""
    if rest.startswith("\t"):
        return "a tab; YAML takes spaces"
    return f"{rest[:1] or 'a sign'} begins no value in YAML; nearest: quotes around the text"


def _unreadable(error: ReaderError) -> str:
    if "control" in error.reason or "not allowed" in error.reason:
        return f"character {error.position + 1}: a control character; nearest: the text without it"
    return f"byte {error.position + 1}: not UTF-8 ({error.reason}); nearest: the file in UTF-8"
