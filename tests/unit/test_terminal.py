"""What others wrote acts on nobody's terminal: a terminal that is emulated (pyte) shows it as text.

Pods choose their log lines, their events and why they ended; a cloud and its users choose names.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO

import pyte
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

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
from kube.jobs import State

NOW = datetime(2026, 12, 1, tzinfo=UTC)
COLUMNS, LINES = 200, 60
BEFORE = "the line before"
STYLE = re.compile(r"\x1b\[[0-9;]*m")
PIECES = st.sampled_from(
    [
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
        "JobSet red/x is Succeeded.",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=6).map("".join)


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


def printed(show: Callable[[str], None], text: str) -> str:
    """What goes to a terminal."""
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(COLUMNS))
        patch.setenv("TERM", "xterm")
        patch.setattr(sys, "stdout", terminal)
        patch.setattr(sys, "stderr", terminal)
        show(text)
    # Weights of our own titles; those of others are looked for by a test of their own.
    return STYLE.sub("", terminal.getvalue())


def screen(output: str) -> list[str]:
    emulated = pyte.Screen(COLUMNS, LINES)
    pyte.Stream(emulated).feed(f"{BEFORE}\r\n" + output.replace("\n", "\r\n"))
    return [line.rstrip() for line in emulated.display]


@pytest.mark.parametrize("name", SHOWN)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=TEXTS)
@example(text="\x1b[1A\x1b[2KJobSet red/x is Succeeded.")
@example(text="checkpoint not found in [/data/ckpt]")
@example(text="\rJobSet red/x is Succeeded.")
@example(text="a\nJobSet red/x is Succeeded.")
def test_text_of_others_moves_hides_and_forges_nothing(name: str, text: str) -> None:
    output = printed(SHOWN[name], text)
    acting = {it for it in output if unicodedata.category(it) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
    assert acting <= {"\n", "\t"}
    first, *lines = screen(output)
    assert first == BEFORE
    if name != "logs":
        assert not any(line.startswith("JobSet red/x is Succeeded.") for line in lines[1:])


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
