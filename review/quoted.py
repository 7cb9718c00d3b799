"""Text that others wrote, for a place in a report that it can neither leave nor act from. Pure.

A config's values, resource names, file names and the engine's messages are all such text: who opens
a pull request chooses them.
"""

from __future__ import annotations

import re
from html import escape

from stacks.unseen import written_out

# Of one value in a line, and of one line in a block.
LONGEST = 300
LINE = 1000
_PIPE = re.compile(r"(\\*)\|")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,62}")
_RUN = re.compile("`+")


def one_line(text: str, longest: int = LONGEST) -> str:
    """On one line, with every character that is not to be seen written out, and cut to a length."""
    seen = written_out(text[: longest + 1])
    return seen if len(seen) <= longest else f"{seen[: longest - 3]}..."


def code(text: str, longest: int = LONGEST) -> str:
    """A code span: nothing in it is a mention, a link, HTML or the end of a table's cell."""
    inner = one_line(text, longest).replace("`", "'").strip()
    return f"`{_PIPE.sub(_escaped, inner) or ' '}`"


def word(text: str) -> str:
    """As it is where it is a word, which nothing can be made of, else as code."""
    return text if _WORD.fullmatch(text) else code(text)


def fenced(text: str, language: str) -> str:
    """A block of code, whose fence is longer than any in the text."""
    lines = "\n".join(one_line(line, LINE) for line in text.split("\n"))
    longest = max((len(run) for run in _RUN.findall(lines)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{lines}\n{fence}"


def html_code(text: str) -> str:
    """As code in a line of HTML."""
    return f"<code>{escape(one_line(text))}</code>"


def logged(text: str) -> str:
    """For a log: one line, and no command to the machine that keeps the log."""
    line = one_line(text, LINE)
    return re.sub(r"^(\s*):(?=:)", r"\1: ", line).replace("##[", "# #[")


def _escaped(pipe: re.Match[str]) -> str:
    """Behind an odd number of backslashes: a table takes two of them for one."""
    before = pipe[1] if len(pipe[1]) % 2 else f"{pipe[1]}\\"
    return f"{before}|"
