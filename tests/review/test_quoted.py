"""Whoever opens a pull request writes nothing into its report but code: no heading, no mention, no
link, no HTML. Read by a parser of Markdown; that GitHub's own reads it in the same way is believed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from review.change import Cause, Change
from review.cost import Amount, Cost, Part
from review.danger import Danger
from review.lines import lines_of
from review.markdown import MARK, markdown
from review.picture import coloured
from review.quoted import LONGEST, code, fenced, html_code, logged, one_line
from review.review import Review
from review.stack_review import StackReview
from stacks.acknowledge import Acknowledge
from stacks.running_work import Stop
from tests.review.test_changes import POOL, urn

EVIL = [
    "EVIL",
    "@security",
    "https://evil.example/x",
    "www.evil.example",
    "\n## Verdict: Nothing is lost. @security approved\n",
    "\r\n# EVIL\r\n",
    "`",
    "``` \n",
    "````",
    "\n```\n## EVIL\n",
    "|",
    "\\|",
    "\\\\|",
    "\\",
    "\n\n| a | b |\n",
    "</details>",
    "<!-- -->",
    "<img src=x onerror=EVIL>",
    "</code>@security",
    "[EVIL](https://evil.example)",
    "![x](https://evil.example)",
    "~~~",
    "\n===\n",
    "\n- ",
    "\u202eEVIL",
    "\u2066",
    "\u200b",
    "\u2028# EVIL",
    "\x00",
    "\x1b[31m",
    "\x07",
    "\n::error::EVIL",
    "##[error]EVIL",
    "&#64;security",
    '"]\n    click gpu href "https://evil.example"',
    "-->",
    " ",
    "a",
]
HOSTILE = st.lists(st.one_of(st.sampled_from(EVIL), st.text(max_size=8)), max_size=6).map("".join)
# Letters and marks that are drawn as nothing, or as a space.
IGNORABLE = [
    *("\u3164", "\u2800", "\u115f", "\u1160", "\uffa0", "\u034f", "\u17b4", "\u180b", "\u180f"),
    *("\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef"),
]
READER = MarkdownIt("commonmark").enable("table")
OURS = {"What this change does to the stacks", "Dangers", "Stacks"}
HTML = re.compile(
    r"<!-- gke-ai-stacks-review -->|</?details>|</?summary>|</?sub>|<code>[^<>]*</code>"
)


def review_of(text: str, other: str) -> Review:
    change = Change(urn(text), "replace", (Cause(text, other, text), Cause(other)), {}, {})
    lost = Danger(text, POOL, "delete", (text, other), other, text, (text, other))
    cost = Cost(
        (Part(text, other, Amount(1, 2), text), Part("b", text, None, other)), {text: (1, 2)}
    )
    agreed = Acknowledge.model_construct(resource=text, property=other, to=text)
    fields: dict[str, Any] = {
        "errors": (text, other),
        "changes": (change,),
        "dangers": (lost,),
        "spent": (agreed,),
        "stop_entries": (text, other),
        "stops": (Stop(text, other, text, other),),
        "not_agreed": (Stop(text, other, text, other),),
        "warnings": (text,),
        "before": cost,
        "after": Cost(cost.parts[:1], {other: (2, 2)}),
        "makespan_s": 5.0,
        "chain": ((text, other, 1.0),),
        "manifests": f"{text}\n+{other}",
        "mermaid": picture_of(text),
    }
    changed = StackReview(text, "changed", "the engine sees a difference", **fields)
    new = StackReview(other, "new", "new", **{**fields, "errors": ()})
    failed = StackReview(text, "failed", "the working tree's preview fails", (other,))
    return Review(text, "0123456789abcdef", (changed, new, failed))


def picture_of(text: str) -> str:
    kind = f"gke-ai-stacks:a:{text}"
    own, child = f"urn:pulumi:dev::p::{kind}::{text}", f"urn:pulumi:dev::p::{kind}$x::{text}2"
    state = [
        {"urn": own, "type": kind},
        {"urn": child, "type": f"x:{text}", "parent": own, "dependencies": [own]},
    ]
    return coloured({}, state, [Change(child, "delete", (), {}, {})])


def flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from flat(token.children or [])


@settings(max_examples=150)
@given(text=HOSTILE, other=HOSTILE)
@example(text="\\|@security", other="a`b\n## Verdict")
@example(text="\\\\|@security", other="```\n````\n# EVIL")
def test_what_others_wrote_stands_in_code_alone(text: str, other: str) -> None:
    page = markdown(review_of(text, other))
    assert page.startswith(f"{MARK}\n")
    tokens = READER.parse(page)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            inner = tokens[place + 1].children or []
            alone = len(inner) == 1 and inner[0].type == "code_inline"
            assert alone or tokens[place + 1].content in {*OURS, text, other}
    for token in flat(tokens):
        assert token.type not in ("link_open", "image", "html_inline") or HTML.fullmatch(
            token.content
        ), token
        if token.type == "html_block":
            assert not re.sub(HTML, "", token.content).count("<"), token.content
            outside = re.sub(r"<code>[^<>]*</code>", "", token.content)
            assert not re.search(r"@|evil\.example|Verdict", outside)
        if token.type == "text":
            assert not re.search(r"@|evil\.example|##|Verdict", token.content), token.content
    seen = {unicodedata.category(it) for it in page if it != "\n"}
    assert not seen & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@settings(max_examples=60)
@given(text=HOSTILE, other=HOSTILE)
def test_outside_of_a_fence_no_line_begins_as_another_heading(text: str, other: str) -> None:
    fence = ""
    for line in markdown(review_of(text, other)).splitlines():
        opened = re.match(r"(`{3,})", line)
        if opened and not fence:
            fence = opened[1]
        elif fence and line == fence:
            fence = ""
        elif not fence and line.startswith("#"):
            assert re.fullmatch(r"## What this .*|### ([\w-]+|`[^`]+`)", line), line
    assert fence == ""


@given(text=HOSTILE, other=HOSTILE)
@settings(max_examples=60)
def test_a_log_line_is_one_line_and_no_command(text: str, other: str) -> None:
    for line in lines_of(review_of(text, other)):
        assert len(line.splitlines()) <= 1
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "\x1b" not in line


@given(text=HOSTILE)
@settings(max_examples=60)
def test_a_picture_has_only_lines_that_it_is_made_of(text: str) -> None:
    mermaid = picture_of(text)
    allowed = (
        r'flowchart LR|    [\w:$./-]*\["<b>[\w:$./-]*</b>(<br/>[\w:$./ -]*)*"\]|'
        r"    [\w:$./-]* --> [\w:$./-]*|    classDef \w+ fill:#\w+,color:#000|"
        r"    class [\w:$./,-]* \w+"
    )
    for line in mermaid.splitlines():
        assert re.fullmatch(allowed, line), line


@pytest.mark.parametrize("text", ["a\nb", "a\u2028b", "a\rb", "\u202eb", *IGNORABLE])
def test_what_is_not_to_be_seen_is_written_out(text: str) -> None:
    assert len(one_line(text).splitlines()) == 1
    assert "\\" in one_line(text)


def test_a_value_is_cut_to_a_length() -> None:
    assert len(one_line("\x00" * 10_000)) == LONGEST
    assert len(code("a" * 10_000)) == LONGEST + 2


def test_a_fence_is_longer_than_any_in_it() -> None:
    assert fenced("````\n`````", "text").splitlines()[0] == "``````text"
    assert html_code("<b>@a") == "<code>&lt;b&gt;@a</code>"
    assert logged("  ::error::x") == "  : :error::x"


@given(text=st.text(st.sampled_from("\\|a`")))
def test_a_pipe_ends_no_cell_however_its_backslashes_are_read(text: str) -> None:
    """One reader counts the backslashes before it, the other looks at the last of them."""
    assert all(len(run) % 2 for run in re.findall(r"(\\*)\|", code(text)))
