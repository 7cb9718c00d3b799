"""A snapshot in a file, for `why` where the cluster is not: written without secrets, read anywhere.

What is left out: values of environment variables, and everything in which one of them stands;
words of commands; annotations that no rule reads; contents of Secrets and ConfigMaps; and of every
other text what looks like a secret (`stacks.secret_words`). A secret in a log that looks like no
secret stays: read the file before you send it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from aistack.errors import VerbError
from aistack.members import MAIN_CONTAINER
from aistack.snapshot_names import EXAMPLES, snapshot_names
from aistack.why.ray_rules import FAULT_TOLERANT
from aistack.why.snapshot import Snapshot
from aistack.why.verdict import Verdict, verdict
from kube.pod_networks import INTERFACES
from stacks.commands import aistack
from stacks.secret_words import is_secret_option, is_token, secrets_in_command

LEFT_OUT = "[left out]"
_FORMAT = 1
_ANNOTATIONS = frozenset((FAULT_TOLERANT, INTERFACES, MAIN_CONTAINER))
# Keys of Kubernetes' objects and KubeRay's whose values are people's own words.
_PRIVATE = frozenset(
    (
        *("args", "command", "data", "entrypoint", "httpHeaders", "managedFields"),
        *("rayStartParams", "runtimeEnvYAML", "stringData", "userConfig"),
    )
)
# A shorter value stands in too many texts by chance.
_SHORTEST = 8


def written(snapshot: Snapshot) -> str:
    """The file's text."""
    whole = _adapter().dump_python(snapshot, mode="json")
    hidden = sorted(set(_variables(whole)), key=len, reverse=True)
    return json.dumps({"format": _FORMAT, "snapshot": _cleaned(whole, hidden)}, indent=1)


def read(given: str) -> bytes:
    """A file, or by its name a snapshot that comes with the project. Raises VerbError."""
    examples = {it: EXAMPLES / f"{it}.json" for it in snapshot_names()}
    file = Path(given)
    try:
        return (file if file.exists() else examples.get(given, file)).read_bytes()
    except OSError as error:
        raise VerbError(
            f"--snapshot: {given}: {error.strerror}; nearest: a file of `{aistack()} snapshot "
            f"JOB --out FILE`, or of those that come along {', '.join(examples)}"
        ) from None


def judged(text: bytes, file: str) -> tuple[Snapshot, Verdict]:
    """What a file holds, and what is said of it. Raises VerbError where it is no snapshot."""
    try:
        found = json.loads(text)
        if found["format"] != _FORMAT:
            raise ValueError(f"its format is {found['format']!r}")
        snapshot = _adapter().validate_python(found["snapshot"])
        return snapshot, verdict(snapshot)
    except ValidationError as error:
        why = f"{'.'.join(map(str, error.errors()[0]['loc']))} is none"
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
    except (StopIteration, TypeError, ValueError) as error:
        why = str(error)
    raise VerbError(
        f"--snapshot: {file} is no snapshot of a job: {why:.200}; "
        f"nearest: {aistack()} snapshot JOB --out FILE"
    )


@cache
def _adapter() -> TypeAdapter[Snapshot]:
    return TypeAdapter(Snapshot)


def _variables(value: Any) -> Iterator[str]:
    """Values of environment variables."""
    for each in _values(value):
        if isinstance(each, dict):
            named = [it for it in each.get("env") or () if isinstance(it, dict)]
            yield from (it for one in named if len(it := str(one.get("value"))) >= _SHORTEST)


def _values(value: Any) -> Iterator[Any]:
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _values(each)


def _cleaned(value: Any, hidden: list[str]) -> Any:
    if isinstance(value, dict):
        return dict(_entries(value, hidden))
    if isinstance(value, list):
        return [_cleaned(it, hidden) for it in value]
    return _told(value, hidden) if isinstance(value, str) else value


def _entries(value: Mapping[str, Any], hidden: list[str]) -> Iterator[tuple[str, Any]]:
    for key, each in value.items():
        if key in _PRIVATE:
            continue
        if key == "env" and isinstance(each, list):
            yield key, [{it: one[it] for it in one if it != "value"} for one in each]
        elif key == "annotations" and isinstance(each, dict):
            kept = {it: text for it, text in each.items() if it in _ANNOTATIONS}
            yield key, _cleaned(kept, hidden)
        elif isinstance(each, str) and is_secret_option(key, each):
            yield key, LEFT_OUT
        else:
            yield key, _cleaned(each, hidden)


def _told(text: str, hidden: list[str]) -> str:
    for one in hidden:
        text = text.replace(one, LEFT_OUT)
    return "\n".join(map(_told_line, text.split("\n")))


def _told_line(line: str) -> str:
    words = line.split(" ")
    for at, _ in secrets_in_command(words):
        words[at] = LEFT_OUT
    line = " ".join(words)
    return LEFT_OUT if is_token(line) else line
