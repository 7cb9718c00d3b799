"""A stack's config file, `Pulumi.NAME.yaml`, read as the Pulumi CLI reads it. No Pulumi import.

The CLI reads YAML with gopkg.in/yaml.v3, whose types of scalars are neither those of YAML 1.1 nor
of 1.2, writes the values anew, reads them again, and hands them to the program as text or JSON
(pulumi/pulumi sdk/go/common/workspace/loaders.go LoadProjectStackBytes and
sdk/go/common/resource/config/object.go, v3.256.0; go-yaml/yaml resolve.go and decode.go, v3.0.1).
Where the CLI would pass over a part of the file, or take one of two values, the file is refused.
"""

from __future__ import annotations

import base64
import binascii
import errno
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from difflib import get_close_matches
from math import inf, isfinite
from pathlib import Path
from typing import Any

import yaml

from catalog.strict_yaml import (
    PLAIN,
    STRING,
    Place,
    YamlError,
    compose,
    place_name,
    refuse_repeated_keys,
    repeated_keys,
)

# What the CLI reads of a stack's file; anything else in it is passed over.
KEYS = ("config", "encryptedkey", "encryptionsalt", "environment", "secretsprovider")
# Of a config's file, in bytes: texts and entries of a config have bounds of their own, which no
# file of this size is within.
LARGEST = 1024 * 1024
# A stack's file ends as Pulumi.yaml does (pulumi/pulumi sdk/go/common/workspace/paths.go,
# DetectProjectStackPath, v3.256.0, 2026-11-29).
OTHER_ENDINGS = (".yml", ".json")
_CONFIG = "config"
_FOLDER = "stackConfigDir"
_OBJECT = "stack"
_MERGE = "<<"
_NOTHING = yaml.ScalarNode(PLAIN, "")
_TAGS = "tag:yaml.org,2002:"
_MOST_VALUES = 100_000
_WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
# Of a number that begins with its point an underscore may part digits, as in Go's own text.
_POINT_FIRST = re.compile(r"\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
# As Go parses an integer whose base its prefix tells; an underscore stands anywhere.
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)"
    r"|(?P<dec>0|[1-9][0-9]*))|0b(?P<bins>[-+][01]+)|0o(?P<octs>[-+][0-7]+)",
    re.ASCII,
)
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10, "bins": 2, "octs": 8}
_TIME = re.compile(
    r"(?P<day>\d{4}-\d\d?-\d\d?)"
    r"(?:(?P<t>[Tt]| +)(?P<time>\d\d?:\d\d?:\d\d?)(?:[.,](?P<part>\d{1,9})\d*)?"
    r"(?P<zone>Z|[-+]\d\d:\d\d)?)?",
    re.ASCII,
)
_LARGEST_PLAIN = 1e21
_INT64 = 2**63
_MOST_DIGITS = len(str(2 * _INT64))


@dataclass(frozen=True)
class StackFile:
    """What a program is given of the file.

    `config`: by full key such as `gcp:zone`, a text or an object, as `pulumi config --json` has it.
    Values that are encrypted stand as `{"secure": TEXT}`. `environments`: more values come from
    Pulumi ESC, which nobody can see in the file.
    """

    config: dict[str, Any] = field(default_factory=dict[str, Any])
    environments: bool = False


def text_of(file: Path) -> bytes:
    """The one way to a config's content. A link may lead to a file of whoever reads here, and what
    is no file may have no end: both are refused unread. Raises YamlError, and OSError where
    nothing is."""
    # Opened once and then asked, so that what is asked is what is read. A pipe would wait for who
    # writes.
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            why = "is a link, which may lead to a file that others should not see"
            raise YamlError(f"{why}; nearest: a file") from None
        raise
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "a device or a pipe"
        raise YamlError(f"is {what}; nearest: a file")
    with open(descriptor, "rb") as stream:
        text = stream.read(LARGEST + 1)
    if len(text) > LARGEST:
        size = max(found.st_size, len(text))
        raise YamlError(f"has {size} bytes, and no config has more than {LARGEST}; nearest: less")
    return text


def read_stack_file(file: Path, project: str) -> StackFile:
    """Raises YamlError with a line for each mistake, and OSError."""
    if file.name.startswith("Pulumi.") and file.suffix == ".yaml":
        for other in (file.with_suffix(it) for it in OTHER_ENDINGS):
            if other.exists():
                raise YamlError(
                    f"Pulumi passes over {other.name}, for Pulumi.yaml ends in .yaml; nearest: its "
                    f"keys in {file.name}, and no such file"
                )
    return parse_stack_file(text_of(file), project)


def project_values(file: Path, project: str) -> dict[str, Any]:
    """What `Pulumi.yaml` gives every stack that says nothing else, by full key. Raises as
    `read_stack_file` does."""
    found: dict[str, Any] = {}
    for key, value in parse_stack_file(text_of(file), project, of_project=True).config.items():
        # With a type it is a declaration, which may have a default.
        given = value.get("value", value.get("default")) if isinstance(value, dict) else value
        if given is not None:
            found[key] = given if isinstance(given, dict | list) else _text(given)
    return found


def parse_stack_file(text: bytes, project: str, *, of_project: bool = False) -> StackFile:
    """`project` is the prefix of keys without one. A file `of_project` is `Pulumi.yaml`, which has
    keys of its own beside `config`. Raises YamlError."""
    if re.search(rb"(?m)^%YAML(?![ \t]+1\.1\s)", text):
        raise YamlError("%YAML: a version that Pulumi does not read; nearest: no such line")
    node = compose(text)
    if node is None or _scalar(node) is None:
        return StackFile()
    if not isinstance(node, yaml.MappingNode):
        raise YamlError("not a block of keys; nearest: config: with the stack's keys under it")
    _refuse_repeated(node, project)
    if not of_project:
        _refuse_passed_over(node, project)
    top = _text_keys(node, "")
    if of_project:
        _refuse_another_folder(top)
    environments = _scalar(top.get("environment", _NOTHING)) is not None
    block = top.get(_CONFIG, _NOTHING)
    if _scalar(block) is None:
        return StackFile(environments=environments)
    if not isinstance(block, yaml.MappingNode):
        raise YamlError(f"{_CONFIG}: not a block of keys; nearest: gcp:zone: ZONE and the like")
    _text_keys(block, f"{_CONFIG}.")
    config = {
        full_key(key, project): value if isinstance(value, dict | list) else _text(value)
        for key, value in _Values().of(block).items()
    }
    return StackFile(config, environments)


def _refuse_another_folder(top: Mapping[str, yaml.Node]) -> None:
    """Pulumi takes a text behind `config` for the same (pulumi/pulumi sdk/go/common/workspace
    paths.go, ProjectStackPath, 01c4ec37f5, and project.go, RewriteConfigPathIntoStackConfigDir)."""
    for key in (_FOLDER, _CONFIG):
        value = _scalar(top.get(key, _NOTHING))
        if isinstance(value, str) and value:
            raise YamlError(
                f"{key}: {value[:80]}: Pulumi looks for the configs of stacks there, and what "
                f"checks them beside Pulumi.yaml alone; nearest: no {key}, and the files beside it"
            )


def full_key(key: str, project: str) -> str:
    """`stack` and `gke-ai-stacks:config:stack` are both `gke-ai-stacks:stack`. Raises YamlError."""
    parts = key.split(":")
    if len(parts) == 3 and parts[1] == "config":
        del parts[1]
    if len(parts) > 2:
        raise YamlError(
            f"{_CONFIG}.{key}: Pulumi reads no key of three parts; nearest: {parts[0]}:{parts[-1]}"
        )
    return ":".join(parts if len(parts) == 2 else (project, key))


def is_encrypted(value: Any) -> bool:
    """Whether Pulumi takes the value for an encrypted one."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get("secure"), str)


def value_of(text: str) -> Any:
    """A value as it stands behind a key of the file. Raises YamlError."""
    # Half a character is no UTF-8, which is for the reader to say.
    node = compose(text.encode(errors="surrogatepass"))
    if node is None:
        return None
    refuse_repeated_keys(node, _key_text)
    return _Values().of(node)


def _refuse_repeated(node: yaml.MappingNode, project: str) -> None:
    """A key that stands twice, or in two forms that are one key to Pulumi."""
    lines = [it.line(_name(it.place, project)) for it in repeated_keys(node, _key_text)]
    configs = [value for key, value in node.value if _is_text(key, _CONFIG)]
    forms: dict[str, dict[str, int]] = {}
    for config in configs[:1]:
        pairs = config.value if isinstance(config, yaml.MappingNode) else ()
        for key, _ in pairs:
            if isinstance(key, yaml.ScalarNode) and key.value != _MERGE:
                text = _key_text(key)
                forms.setdefault(full_key(text, project), {})[text] = key.start_mark.line + 1
    for full, lines_of in forms.items():
        if len(lines_of) > 1:
            where = " and ".join(f"as {text} in line {it}" for text, it in lines_of.items())
            lines.append(
                f"{full.removeprefix(f'{project}:')}: stands twice, {where}, which are one key to "
                "Pulumi; nearest: one of them"
            )
    if lines:
        raise YamlError(*lines)


def _refuse_passed_over(node: yaml.MappingNode, project: str) -> None:
    """Keys beside `config`, which nothing reads, but for those that hold what is named in it."""
    lines: list[str] = []
    read: set[int] = set()
    for key, value in node.value:
        if key.value in KEYS or _is_text(key, _MERGE):
            read |= _ids_of(value)
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value in KEYS:
            continue
        where = f"{key.value} (line {key.start_mark.line + 1})"
        if key.value == _MERGE:
            lines.append(f"{where}: stands where every key is Pulumi's own; nearest: the keys")
            continue
        if near := get_close_matches(key.value.lower(), KEYS, n=1, cutoff=0.8):
            lines.append(f"{where}: Pulumi passes over such a key; nearest: {near[0]}")
        elif key.value == _OBJECT or ":" in key.value:
            lines.append(
                f"{where}: stands beside {_CONFIG}, where Pulumi passes over it; nearest: under "
                f"{_CONFIG}, as {full_key(key.value, project)}"
            )
        elif read.isdisjoint(_ids_of(value)):
            lines.append(
                f"{where}: stands beside {_CONFIG}, where nothing reads it; nearest: below "
                f"{full_key(_OBJECT, project)}"
            )
    if lines:
        raise YamlError(*lines)


def _ids_of(node: yaml.Node) -> set[int]:
    """The identities of a node and of all within it, where an alias may stand for a node that it is
    part of."""
    found: set[int] = set()
    open_nodes = [node]
    while open_nodes:
        node = open_nodes.pop()
        if id(node) in found:
            continue
        found.add(id(node))
        if isinstance(node, yaml.MappingNode):
            open_nodes += [one for pair in node.value for one in pair]
        elif isinstance(node, yaml.SequenceNode):
            open_nodes += node.value
    return found


def _name(place: Place, project: str) -> str:
    """`stack.pools.gpu` of `config`, `gke-ai-stacks:stack`, `pools` and `gpu`."""
    if len(place) > 1 and place[0] == _CONFIG:
        own = str(place[1]).removeprefix(f"{project}:").removeprefix("config:")
        return place_name((own, *place[2:]))
    return place_name(place)


def _text_keys(node: yaml.MappingNode, above: str) -> dict[str, yaml.Node]:
    """The block's values by key. Raises YamlError for a key that is no text: Pulumi takes such a
    key only further within."""
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if _is_text(key, _MERGE):
            continue
        if not isinstance(key, yaml.ScalarNode) or not isinstance(_scalar(key), str):
            shown = key.value if isinstance(key, yaml.ScalarNode) else "a list or a block"
            raise YamlError(
                f"{above}{shown} (line {key.start_mark.line + 1}): Pulumi takes no such key here; "
                f'nearest: a text, such as "{shown}" in quotes'
            )
        found[key.value] = value
    return found


def _is_text(node: yaml.Node, text: str) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == text


class _Values:
    """The values of a tree, each alias as a value of its own."""

    def __init__(self) -> None:
        self._count = 0
        self._open: set[int] = set()

    def of(self, node: yaml.Node) -> Any:
        self._count += 1
        if self._count > _MOST_VALUES:
            raise YamlError("aliases make more values of the file than Pulumi reads")
        if isinstance(node, yaml.ScalarNode):
            return _plain(_scalar(node), node)
        if id(node) in self._open:
            raise YamlError(f"line {node.start_mark.line + 1}: an anchor that holds itself")
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self.of_block(node)
            return [self.of(it) for it in node.value]
        finally:
            self._open.discard(id(node))

    def of_block(self, node: yaml.MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: yaml.Node | None = None
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                line = key.start_mark.line + 1
                raise YamlError(f"line {line}: a list or a block as a key; nearest: a text")
            if key.value == _MERGE:
                merged = value
            else:
                found[_key_text(key)] = self.of(value)
        for block in self._merged(merged):
            found = {**block, **found}
        return found

    def _merged(self, node: yaml.Node | None) -> list[dict[str, Any]]:
        if node is None:
            return []
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        if not all(isinstance(it, yaml.MappingNode) for it in nodes):
            line = node.start_mark.line + 1
            raise YamlError(f"line {line}: << takes a block, or a list of blocks")
        return [self.of(it) for it in nodes]


def _key_text(node: yaml.ScalarNode) -> str:
    """A key as Go prints it, all keys being texts to Pulumi."""
    value = _plain(_scalar(node), node)
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _text(value: Any) -> str:
    """What stands behind a key of `config` and is no object."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _plain(value: Any, node: yaml.ScalarNode) -> Any:
    """As it is after JSON, which has no time, no numbers without an end, and no 1.0."""
    if isinstance(value, int) and value >= _INT64:
        value = float(value)
    if isinstance(value, float):
        if not isfinite(value):
            line = node.start_mark.line + 1
            raise YamlError(f"line {line}: a number that does not end; nearest: one that does")
        if value.is_integer() and abs(value) < _LARGEST_PLAIN:
            return int(Decimal(repr(value)))
    return value


def _scalar(node: yaml.Node) -> Any:
    """The value of a scalar as gopkg.in/yaml.v3 resolves it; of another node, the node."""
    if not isinstance(node, yaml.ScalarNode):
        return node
    if node.tag == PLAIN:
        return _resolved(node.value)
    tag = node.tag.removeprefix(_TAGS)
    if tag == "binary":
        return _binary(node)
    if node.tag == STRING or tag not in ("bool", "int", "float", "null", "timestamp"):
        return node.value
    value = _resolved(node.value)
    kinds = {"bool": bool, "int": int, "float": int | float, "null": type(None)}
    if tag == "timestamp":
        right = _time(node.value) is not None
    else:
        right = isinstance(value, kinds[tag]) and (tag == "bool" or not isinstance(value, bool))
    if not right:
        line = node.start_mark.line + 1
        raise YamlError(f"line {line}: no !!{tag} stands there; nearest: the value without its tag")
    return float(value) if tag == "float" else value


def _binary(node: yaml.ScalarNode) -> str:
    try:
        return base64.b64decode(node.value.replace("\n", ""), validate=True).decode()
    except (binascii.Error, ValueError):
        line = node.start_mark.line + 1
        raise YamlError(f"line {line}: no base64 of a text; nearest: the text itself") from None


def _resolved(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        number = float(text) if _POINT_FIRST.fullmatch(text) else inf
        return number if isfinite(number) else text
    if text[0] not in "+-0123456789":
        return text
    if (moment := _time(text)) is not None:
        return moment
    plain = text.replace("_", "")
    number = _integer(plain)
    if number is not None:
        return number
    if _FLOAT.fullmatch(plain) and isfinite(float(plain)):
        return float(plain)
    return text


def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    name = next(it for it in _BASES if match[it] is not None)
    # int() refuses thousands of them (Python documentation, sys.set_int_max_str_digits).
    if name == "dec" and len(match[name]) > _MOST_DIGITS:
        return None
    number = int(match[name], _BASES[name])
    number = -number if match["sign"] == "-" else number
    largest = _INT64 if match["sign"] or name in ("bins", "octs") else 2 * _INT64
    return number if -_INT64 <= number < largest else None


def _time(text: str) -> str | None:
    """A time as Go prints it, which is the text that a program is given of one without quotes."""
    match = _TIME.fullmatch(text)
    if match is None or (match["t"] in ("T", "t")) != (match["zone"] is not None):
        return None
    year, month, day = map(int, match["day"].split("-"))
    hour, minute, second = map(int, (match["time"] or "0:0:0").split(":"))
    zone = match["zone"] or "Z"
    hours, minutes = (0, 0) if zone == "Z" else map(int, zone[1:].split(":"))
    try:
        moment = datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
    # Go lets 24 hours and 60 minutes pass.
    if hours > 24 or minutes > 60:
        return None
    part = (match["part"] or "").rstrip("0")
    shown = f"{moment.isoformat(' ')}{'.' if part else ''}{part}"
    hours, minutes = divmod(60 * hours + minutes, 60)
    if not hours and not minutes:
        return f"{shown} +0000 UTC"
    printed = f"{zone[0]}{hours:02}{minutes:02}"
    return f"{shown} {printed} {printed}"
