"""What a failed run says whose engine ended without an error of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.engine_end import engine_end, panic_of

_TRACE = """
goroutine 1 [running]:
runtime/debug.Stack()
\truntime/debug/stack.go:26 +0x5e
main.panicHandler(0xc0005bfdf7)
\tgithub.com/pulumi/pulumi/pkg/v3/cmd/pulumi/main.go:42 +0x4b
main.main()
\tgithub.com/pulumi/pulumi/pkg/v3/cmd/pulumi/main.go:67 +0x9d
"""
_BANNER = """================================================================================
The Pulumi CLI encountered a fatal error. This is a bug!
================================================================================
Pulumi Version:   v3.256.0
Go Version:       go1.25.1
Panic:            fatal: An assertion has failed: a dependency of data-bucket is not in the state
"""
_ASSERTION = "fatal: An assertion has failed: a dependency of data-bucket is not in the state"


def said(stderr: str, stdout: str = "Updating (dev):\n") -> str:
    """As the Automation API has it."""
    return f"\n code: 2\n stdout: {stdout}\n stderr: {stderr}"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (said(_BANNER + _TRACE), f"panic: {_ASSERTION}"),
        (said(f"panic: {_ASSERTION}\n{_TRACE}"), f"panic: {_ASSERTION}"),
        (
            said(f"panic: boom [recovered]\n\tpanic: boom\n{_TRACE}"),
            "panic: boom [recovered]",
        ),
        (
            said(f"fatal error: concurrent map writes\n{_TRACE}"),
            "fatal error: concurrent map writes",
        ),
        (
            said(
                "error: an unhandled error", f"Diagnostics:\n  google:\n    panic: boom\n{_TRACE}"
            ),
            "panic: boom",
        ),
    ],
)
def test_a_panic_is_told_with_its_cause_and_its_trace_is_kept(
    tmp_path: Path, text: str, cause: str
) -> None:
    log = tmp_path / "panic.log"
    assert panic_of(text, log) == f"the Pulumi engine ended with {cause}; its trace: {log}"
    kept = log.read_text()
    assert _TRACE in kept
    assert cause.partition(": ")[2] in kept


def test_any_other_end_is_told_by_its_last_line_and_keeps_nothing(tmp_path: Path) -> None:
    log = tmp_path / "panic.log"
    refused = "error: could not decrypt: panic: not at the bank\n"
    assert panic_of(said(refused), log) is None
    assert not log.exists()
    assert engine_end(said(refused), "up") == refused.strip()
    killed = engine_end("\n code: -9\n stdout: \n stderr: ", "up")
    assert killed == "the Pulumi engine was killed by signal 9; `up` again picks up from there"
    nothing = engine_end("\n code: 1\n stdout: \n stderr: ", "up")
    assert nothing == "the engine ended without a message"
