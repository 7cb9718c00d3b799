"""Ways to lose data by what is stale, double, half or misnamed, and the one message that refuses
each: what docs/ways-to-lose-data.md says, written by runs.

A region of the page is `ways files` or `ways changes`; stale entries in `acknowledge` are those of
agreed.py, tried in test_agreements.py.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from catalog.strict_yaml import YamlError
from cli.project import PROJECT
from sandbox.engine import RunResult
from stacks.stack_file import parse_stack_file, read_stack_file
from tests.stacks.agreed import CONFIG, TIER, brought
from tests.stacks.by_hand import taint, urn_of
from tests.stacks.conftest import SAVED_AT_THE_END, Sandbox
from tools.written_page import table_row

HEAD = ("way", "message")
FILES = {
    "`deletion_protection` twice in one map": "config:\n  stack:\n    deletion_protection: true\n"
    "    name: a\n    deletion_protection: false\n",
    "`stack` twice, with the project's name before it and without": "config:\n"
    "  stack: {name: a}\n  gke-ai-stacks:stack: {name: b}\n",
    "`config` twice": "config:\n  stack: {name: a}\nconfig:\n  stack: {name: b}\n",
    "`stack` beside `config`, not below it": "stack: {name: a}\nconfig:\n  gcp:zone: z\n",
    "`configs` for `config`": "configs: {a: 1}\nconfig:\n  stack: {name: a}\n",
    "a second document": "config:\n  stack: {name: a}\n---\nconfig:\n  stack: {name: b}\n",
    "text behind the end of the document": "config:\n  stack: {name: a}\n...\nconfig: [\n",
    "an anchor twice": "config:\n  stack:\n    a: &x {p: 1}\n    b: &x {p: 2}\n    c: *x\n",
}
_POOL = {"machine_type": "g2-standard-8", "nodes": 1, "max_pods_per_node": 32}
_RULE = {"action": "delete", "age_days": 3}
_Try = Callable[[Path], RunResult]


def _preview(**values: Any) -> _Try:
    return lambda folder: brought(folder, **values).run("preview")


def _tainted(name: str, verb: str = "preview", **values: Any) -> _Try:
    def attempt(folder: Path) -> RunResult:
        sandbox = brought(folder, **values)
        taint(sandbox, name)
        return sandbox.run("up" if verb == "up" else "preview")

    return attempt


def _replaced(folder: Path) -> RunResult:
    sandbox = brought(folder)
    return sandbox.run("up", only={"replace": [urn_of(sandbox, "lustre-instance")]})


# On a protected stack.
CHANGES: dict[str, _Try] = {
    "another tier of Lustre": _preview(**TIER),
    "another `max_pods_per_node` of a pool with GPUs": _preview(
        pools={**CONFIG["pools"], "gpu": _POOL}
    ),
    "a bucket taken out": _preview(buckets={}),
    "a new rule that deletes objects": _preview(buckets={"data": {"lifecycle": [_RULE]}}),
    "protection turned off by the run that loses data": _preview(**TIER, deletion_protection=False),
    "`pulumi up --replace` of Lustre": _replaced,
    "`pulumi state taint` of a bucket": _tainted("data-bucket"),
    "`pulumi state taint` of the cluster": _tainted("gke-cluster"),
    "`pulumi state taint` of Kueue": _tainted("kueue-release"),
    "`pulumi state taint` of a claim without its volume": _tainted("volume-claim"),
    "`pulumi destroy`": lambda folder: brought(folder).run("destroy"),
}


def lines(region: str) -> Iterator[str]:
    """The table of a region."""
    yield table_row(*HEAD)
    yield table_row(*("---" for _ in HEAD))
    if region == "files":
        found = chain(((way, _of_file(text)) for way, text in FILES.items()), [_of_two_files()])
    else:
        found = _of_runs(CHANGES)
    for way, message in found:
        said = message.partition("; nearest: ")[0]
        quote = "``" if "`" in said else "`"
        yield table_row(way, f"{quote}{said}{quote}")


def _of_file(text: str) -> str:
    try:
        parse_stack_file(text.encode(), PROJECT)
    except YamlError as error:
        return " ".join(str(error).split())
    raise AssertionError(f"{text!r} is taken")


def _of_two_files() -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "Pulumi.a.yaml"
        for one in (file, file.with_suffix(".yml")):
            one.write_text("config: {}\n")
        with pytest.raises(YamlError) as refused:
            read_stack_file(file, PROJECT)
    return "a second file of the stack, in `.yml`", str(refused.value)


def _of_runs(tries: dict[str, _Try]) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name, value in SAVED_AT_THE_END.items():
            patch.setenv(name, value)
        brought(Path(folder)).succeed("up")
        for way, attempt in tries.items():
            before = _state(brought(Path(folder)))
            result = attempt(Path(folder))
            _restore(brought(Path(folder)), before)
            yield way, _message(result)


def _state(sandbox: Sandbox) -> str:
    return next(sandbox.workspace.state_files()).read_text()


def _restore(sandbox: Sandbox, text: str) -> None:
    next(sandbox.workspace.state_files()).write_text(text)


def _message(result: RunResult) -> str:
    """The sentence that says it, without what goes on below it."""
    assert not result.ok
    said = "\n".join(result.report.diagnostics)
    (found,) = dict.fromkeys("".join(it) for it in _SENTENCE.findall(said))
    return " ".join(found.split())


_SENTENCE = re.compile(
    r"^(?:  (?=[a-z0-9-]+ would be |[a-z-]+: Cloud Storage))(.+)$"
    r"|^([a-z0-9-]+ would be replaced.+)$"
    r"|(stack\.deletion_protection is on, and nothing was deleted.+)$",
    re.MULTILINE,
)
