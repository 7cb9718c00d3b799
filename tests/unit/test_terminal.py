"""What others wrote acts on nobody's terminal: a terminal that is emulated (pyte) shows it as text.

Pods choose their log lines, their events and why they ended; a cloud and its users choose names.
"""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from io import StringIO
from pkgutil import iter_modules
from typing import Any

import pyte
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from rich.columns import Columns
from rich.console import Group
from rich.control import Control
from rich.panel import Panel
from rich.pretty import Pretty
from rich.rule import Rule
from rich.segment import Segment, Segments
from rich.style import Style
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from aistack import verbs
from aistack.__main__ import app
from aistack.checkpoints.listing import Checkpoint, Checkpoints
from aistack.container_log import Line
from aistack.errors import VerbError
from aistack.events import Event
from aistack.job import Job
from aistack.listing import Listing
from aistack.tables import show_checkpoints, show_events, show_jobs, show_verdict
from aistack.verbs.logs import show_lines
from aistack.why.snapshot import Reason
from aistack.why.verdict import Verdict
from cli.console import new_console, new_table
from cli.lines import last_state, say, say_aside
from cli.project import PROJECT_FOLDER
from components.ray.manifest import LAUNCHER_DIR
from kube.jobs import State
from kube.kinds import JOB, JOB_SET, RAY_CLUSTER, RAY_JOB, Kind
from stacks.checkpoint_folder import layout_of
from stacks.parts.jobs import verl
from tests.unit.odd_objects import NOTHING, WORK, Path, World, changed, oddities, owned
from tests.unit.terminal_samples import PRINTERS, READERS, VERBS, WITHOUT_CLUSTER, read

NOW = datetime(2026, 12, 1, tzinfo=UTC)
COLUMNS, LINES = 200, 60
BEFORE = "the line before"
STYLE = re.compile(r"\x1b\[[0-9;]*m")
FORGED = "JobSet red/x is Succeeded."
PIECES = (
    "\x1b[1A\x1b[2K",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "\x1b[31m",
    "\x1bc",
    "\x9b2J",
    "\r",
    "\n",
    "\b\b\b",
    "\x0b",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ud800",
    "[/data]",
    "[link=https://evil.example]here[/link]",
    "[bold]",
    ":smile:",
    FORGED,
)
# A line of its own, where an end of a line goes through.
HOSTILE = "".join([*PIECES, "\n", FORGED])
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=6).map("".join)


def job(text: str) -> Job:
    return Job(
        kind="JobSet",
        namespace="red",
        name="x",
        uid="1",
        state=State.FAILED,
        queue=text,
        pods=2,
        accelerators=8,
        runs_on="",
        owner=text,
        submitter=text,
        created=NOW,
    )


def show_a_job(text: str) -> None:
    show_jobs(Listing(jobs=[job(text)], hidden=[text]), NOW)


def show_an_event(text: str) -> None:
    show_events([Event(at=NOW, warns=True, about=text, reason=text, message=text)], NOW)


def show_a_verdict(text: str) -> None:
    reason = Reason("failed", f"It ended: {text}", f"Look at {text}")
    show_verdict(job(text), Verdict(reason, reason.sentence))


def show_a_checkpoint(text: str) -> None:
    one = Checkpoint(name=text, step=1, bytes=1, files=1, written=NOW, missing=text)
    show_checkpoints(Checkpoints(folder=text, checkpoints=[one], restart=None), NOW)


def show_a_log_line(text: str) -> None:
    lines = [Line(role="0", time="", text=it) for it in text.split("\n")]
    show_lines(lines, as_json=False, several=True, raw=False)


def show_any_table(text: str) -> None:
    table = new_table("name", text)
    table.add_row("red", text)
    console = new_console()
    console.print(table)
    console.print(f"of {text}")


SHOWN: dict[str, Callable[[str], None]] = {
    "jobs": show_a_job,
    "events": show_an_event,
    "why": show_a_verdict,
    "checkpoints": show_a_checkpoint,
    "logs": show_a_log_line,
    "table": show_any_table,
    "line": say,
    "error": lambda text: say_aside(f"error: {VerbError(text)}"),
}


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def printed(show: Callable[[str], None], text: str, columns: int = COLUMNS) -> str:
    """What goes to a terminal, without weights of our own titles; those of others are looked for by
    a test of their own."""
    return STYLE.sub("", with_styles(show, text, columns))


def with_styles(show: Callable[[str], None], text: str, columns: int = COLUMNS) -> str:
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        patch.setenv("TERM", "xterm")
        patch.setattr(sys, "stdout", terminal)
        patch.setattr(sys, "stderr", terminal)
        show(text)
    return terminal.getvalue()


def screen(output: str) -> list[str]:
    emulated = pyte.Screen(COLUMNS, LINES)
    pyte.Stream(emulated).feed(f"{BEFORE}\r\n" + output.replace("\n", "\r\n"))
    return [line.rstrip() for line in emulated.display]


def acting(output: str) -> set[str]:
    return {it for it in output if unicodedata.category(it) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}


@pytest.mark.parametrize("name", SHOWN)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=TEXTS)
@example(text="\x1b[1A\x1b[2KJobSet red/x is Succeeded.")
@example(text="checkpoint not found in [/data/ckpt]")
@example(text="\rJobSet red/x is Succeeded.")
@example(text="a\nJobSet red/x is Succeeded.")
def test_text_of_others_moves_hides_and_forges_nothing(name: str, text: str) -> None:
    output = printed(SHOWN[name], text)
    assert acting(output) <= {"\n", "\t"}
    first, *lines = screen(output)
    assert first == BEFORE
    if name != "logs":
        assert not any(line.startswith(FORGED) for line in lines[1:])


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize(
    "text",
    [
        "unmounted volumes=[data], unattached volumes=[kube-api-access data]",
        "checkpoint not found in [/data/ckpt]",
        "[rank0]: torch.distributed :warning:",
        "[bold]as it is[/bold]",
    ],
)
def test_brackets_and_colons_are_shown_as_they_are(name: str, text: str) -> None:
    assert text in " ".join(printed(SHOWN[name], text).split())


@pytest.mark.parametrize("name", PRINTERS)
def test_no_verb_lets_text_of_others_act(name: str) -> None:
    output = printed(PRINTERS[name], HOSTILE, columns=10_000)
    assert FORGED in output
    assert acting(output) <= {"\n", "\t"}
    assert not [line for line in output.split("\n") if line.startswith(FORGED)]


def test_every_verb_is_tried() -> None:
    modules = {it.name for it in iter_modules(verbs.__path__)}
    assert modules == set(VERBS)
    assert modules == {it.callback.__module__.rpartition(".")[2] for it in app.registered_commands}


# Of a training, without its parameters.
PROGRAM = f"{LAUNCHER_DIR}/{verl.CHECKPOINTS.launcher.replace('.', '-0a1b2c3d.')}"
# Of the kind, the field, and what its owner has there.
BREAKING: Sequence[tuple[Kind, str, Path, Any]] = (
    (RAY_CLUSTER, "RayCluster", ("spec",), NOTHING),
    (RAY_CLUSTER, "RayCluster", ("spec", "headGroupSpec", "template", "spec"), NOTHING),
    (RAY_JOB, "RayJob", ("spec", "rayClusterSpec", "headGroupSpec", "template"), {}),
    (RAY_JOB, "RayJob", ("spec", "entrypoint"), "python 'train.py"),
    (RAY_JOB, "RayJob", ("spec", "entrypoint"), f"python {PROGRAM}"),
    (JOB_SET, "JobSet", ("spec", "replicatedJobs", 0, "template", "spec"), NOTHING),
    (JOB_SET, "JobSet", ("spec", "replicatedJobs", 0, "replicas"), 2**31 - 1),
    (JOB, "Pod", ("metadata", "labels", "batch.kubernetes.io/job-completion-index"), "x"),
    (JOB_SET, "Pod", ("metadata", "labels", "jobset.sigs.k8s.io/job-global-index"), "x"),
    (JOB, "Pod", ("metadata", "annotations", "networking.gke.io/interfaces"), "[" * 100_000),
    (JOB, "Service", ("metadata", "annotations", "cloud.google.com/neg"), "[" * 100_000),
    *(
        (
            RAY_CLUSTER,
            "RayCluster",
            ("spec", "headGroupSpec", "template", "spec", "containers", 0, "resources", "limits"),
            {"nvidia.com/gpu": it},
        )
        for it in ("1e1.5", "1e999999999", "9" * 5000)
    ),
)


@pytest.mark.parametrize("verb", READERS)
def test_no_verb_breaks_at_what_the_api_server_takes_from_a_member(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind, name, path, odd in BREAKING:
        objects = owned(kind, "Running")
        of_kind = next(it for it in objects if it["kind"] == name)
        found = changed(of_kind, path, odd)
        assert found is not None, (name, path)
        read(verb, World([found if it is of_kind else it for it in objects]))
    assert "Traceback" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("verb", READERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(data=st.data())
def test_no_verb_breaks_at_any_field_of_a_members(verb: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(WORK)))
    objects = owned(kind, data.draw(st.sampled_from(["Pending", "Running", "Failed"])))
    at = data.draw(st.integers(0, len(objects) - 1))
    path, odd = data.draw(st.sampled_from(oddities(objects[at])))
    found = changed(objects[at], path, odd)
    assume(found is not None)
    assert found is not None
    read(verb, World([*objects[:at], found, *objects[at + 1 :]]))


def test_the_program_of_a_training_is_known_by_its_name() -> None:
    assert layout_of([PROGRAM]) is verl.CHECKPOINTS


def test_every_verb_that_reads_a_cluster_is_tried() -> None:
    assert set(VERBS) == {*READERS, *WITHOUT_CLUSTER, "submit"}


def through_a_link(text: str) -> None:
    new_console().print(Text("here", Style(link=f"https://evil.example/{text}")), text)


def through_a_segment(text: str) -> None:
    new_console().print(Segments([Segment(text)]))


def through_control(text: str) -> None:
    console = new_console()
    console.control(Control.title(text))
    console.print(Control.title(text), text)


RENDERED: dict[str, Callable[[str], Any]] = {
    "string": str,
    "text": Text,
    "text in parts": lambda text: Text.assemble((text, "bold"), (text, "red")),
    "text in a row": lambda text: Columns([Text(text), text]),
    "table": lambda text: rich_table(text),
    "panel": lambda text: Panel(Text(text), title=Text(text), subtitle=Text(text)),
    "rule": lambda text: Rule(Text(text)),
    "tree": lambda text: Tree(Text(text)),
    "object": lambda text: Pretty({text: text}),
    "group": lambda text: Group(Text(text), text),
}
PAST_IT: dict[str, Callable[[str], None]] = {
    "link": through_a_link,
    "segment": through_a_segment,
    "control": through_control,
}


def rich_table(text: str) -> Table:
    table = Table(text, title=Text(text), caption=text)
    table.add_column(Text(text))
    table.add_row(Text(text), Panel(Text(text)))
    return table


@pytest.mark.parametrize("name", RENDERED)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(text=TEXTS)
@example(text=HOSTILE)
def test_whatever_rich_renders_is_plain(name: str, text: str) -> None:
    shown = RENDERED[name](text)
    assert acting(printed(lambda _: new_console().print(shown), text)) <= {"\n", "\t"}
    assert acting(printed(lambda _: new_console().log(shown), text)) <= {"\n", "\t"}


@pytest.mark.parametrize("name", PAST_IT)
def test_nothing_goes_past_the_console(name: str) -> None:
    output = printed(PAST_IT[name], HOSTILE)
    assert FORGED in output
    assert acting(output) <= {"\n", "\t"}


def test_an_end_of_a_line_in_a_text_is_written_out() -> None:
    shown = printed(lambda text: new_console().print(Text(text)), f"a\n{FORGED}")
    assert shown == f"a\\n{FORGED}\n"


def test_a_text_that_is_plain_keeps_its_styles() -> None:
    text = Text.assemble(("failed", "bold"), " it has")
    shown = with_styles(lambda _: new_console().print(text), "")
    assert shown == "\x1b[1mfailed\x1b[0m it has\n"


def test_nobody_has_rich_read_markup_or_makes_another_console() -> None:
    """A panel's title and a bar of progress are read as markup, whatever the console says
    (Textualize/rich v15.0.0 rich/panel.py `_title`, rich/progress.py `TextColumn`)."""
    known = {"console.Console", "console.RenderableType", "table.Table", "text.Text"}
    made = {"Console", "Table", "Text.from_markup", "Text.from_ansi"}
    for folder in ("aistack", "cli", "recovery", "review", "sandbox", "stacks"):
        for file in (PROJECT_FOLDER / folder).rglob("*.py"):
            if file != PROJECT_FOLDER / "cli" / "console.py":
                tree = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
                calls = {ast.unparse(it.func) for it in tree if isinstance(it, ast.Call)}
                assert (set(of_rich(tree)) - known, calls & made) == (set(), set()), file


def of_rich(tree: list[ast.AST]) -> Iterator[str]:
    """What a module imports of rich."""
    for it in tree:
        if isinstance(it, ast.Import):
            yield from (one.name for one in it.names if one.name.split(".")[0] == "rich")
        elif isinstance(it, ast.ImportFrom) and (it.module or "").split(".")[0] == "rich":
            yield from (f"{it.module}.{one.name}".removeprefix("rich.") for one in it.names)


def test_colours_of_others_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    red = "\x1b[1;31merror\x1b[0m: no"
    say(red)
    new_console().print(red)
    assert capsys.readouterr().out == "error: no\n" * 2


@pytest.mark.parametrize(
    ("line", "left"),
    [("10%\r 20%\r100%", "100%"), ("100%\r", "100%"), ("plain", "plain"), ("", "")],
)
def test_a_line_that_counts_is_as_a_terminal_leaves_it(line: str, left: str) -> None:
    assert last_state(line) == left
    (shown,) = (it for it in screen(line)[1:2])
    assert shown.endswith(left)


def test_later_lines_of_an_error_are_further_in() -> None:
    assert printed(say_aside, "error: a\nb") == "error: a\n  b\n"


def test_what_a_script_reads_is_as_it_was_said(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [Line(role="0", time="", text="\x1b[31m10%\r20%")]
    show_lines(lines, as_json=False, several=False, raw=True)
    assert capsys.readouterr().out == "\x1b[31m10%\r20%\n"
