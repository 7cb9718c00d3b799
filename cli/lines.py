"""Lines on a terminal, and what they leave out.

What is printed may come from a pod, a cloud, a state or a file, whose authors are others: it is
text, and a terminal gets none of its control characters. No packages are needed to print it.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from stacks.unseen import written_out

# What a shell gives for a command that SIGINT ended (GNU Bash manual, 3.7.5, "Exit Status").
INTERRUPTED = 130
# Colours and weights, which programs put into their logs (ECMA-48, 8.3.117 SGR).
_STYLE = re.compile(r"\x1b\[[0-9;:]*m")


def plain_line(text: str) -> str:
    """The text on one line, without colours, and with every control or direction character but tabs
    written out."""
    return written_out(_STYLE.sub("", text), "\t")


def plain_lines(text: str) -> str:
    """The same of a text whose own lines stay. Those after the first are further in, so that no
    text of others looks like the next line of ours."""
    return "\n  ".join(plain_line(line) for line in text.split("\n"))


def last_state(line: str) -> str:
    """A line as a terminal leaves it: programs that count write over what stood there before."""
    return line.rstrip("\r").rpartition("\r")[2]


def say(*lines: str) -> None:
    """Print lines at once; what runs goes on where nobody reads it any more. An end of a line
    within one of them is somebody else's, and written out."""
    for line in lines:
        _say(plain_line(line), sys.stdout)


def say_raw(line: str) -> None:
    """Print a line as it is: what a script reads, or what a user asked for."""
    _say(line, sys.stdout)


def say_aside(text: str) -> None:
    """Print where errors go, at once."""
    _say(plain_lines(text), sys.stderr)


def interrupted() -> int:
    """What Ctrl-C ends every command with: a line, and this exit code."""
    say_aside("interrupted")
    return INTERRUPTED


def close_output() -> None:
    """Whoever read has read enough, such as `head`: nothing is left to be flushed at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(line: str, where: TextIO) -> None:
    try:
        print(line, file=where, flush=True)
    except BrokenPipeError:
        close_output()
