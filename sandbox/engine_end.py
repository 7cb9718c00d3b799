"""What the CLI says at its end, beside the errors that it reports as events."""

from __future__ import annotations

import re
from pathlib import Path

PANIC_LOG = "panic.log"
# The Automation API puts a word before what each stream has.
_STREAM = re.compile(r"^ (?:code: .*|std(?:out|err): ?)", re.MULTILINE)
# What Go writes before the stacks of its goroutines (golang/go src/runtime/panic.go, printpanics
# and throw, go1.26), and the CLI in its place (pulumi/pulumi cmd/pulumi/main.go, panicHandler,
# v3.256.0).
_PANIC = re.compile(
    r"^\s*(?P<kind>[Pp]anic|fatal error): +(?P<cause>\S.*)$(?=[\s\S]*?^\s*goroutine )",
    re.MULTILINE,
)
_KILLED = re.compile(r"^ code: -(\d+)", re.MULTILINE)


def panic_of(said: str, log: Path) -> str | None:
    """The cause, where the CLI or a plugin ended in a panic; all that was said is then in the file
    `log`."""
    own = _STREAM.sub("", said)
    panic = _PANIC.search(own)
    if panic is None:
        return None
    log.write_text(own, encoding="utf-8")
    cause = f"{panic['kind'].lower()}: {panic['cause'].strip()}"
    return f"the Pulumi engine ended with {cause}; its trace: {log}"


def engine_end(said: str, verb: str) -> str:
    """In one line, of a CLI that reported no error as an event."""
    if killed := _KILLED.search(said):
        ended = f"the Pulumi engine was killed by signal {killed[1]}"
        return f"{ended}; `{verb}` again picks up from there"
    lines = [line for line in _STREAM.sub("", said).splitlines() if line.strip()]
    return lines[-1].strip() if lines else "the engine ended without a message"
