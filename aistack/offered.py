"""Commands that a message offers: with the stack and the sandbox of the command that offers them,
for without them they would ask another stack."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path

from cli.kube_mode import KubeMode
from cli.next_steps import FOLDER, command
from stacks.commands import STACK, aistack

SANDBOX_VARIABLE = "AISTACK_SANDBOX"


@dataclass(frozen=True)
class _Given:
    """`meant` is the stack that a command without `--stack` has found, and `kubectl` how that
    reaches the stack's cluster. `job` is named in full as `asked`, where its name alone may be
    that of several."""

    stack: str | None = None
    sandbox: Path | None = None
    meant: str | None = None
    kubectl: tuple[str, ...] = ("kubectl",)
    job: str = ""
    asked: str = ""


_NOTHING = _Given()
_GIVEN: ContextVar[_Given] = ContextVar("given", default=_NOTHING)


def given(stack: str | None, sandbox: Path | None = None) -> None:
    """What this command was given."""
    _GIVEN.set(_Given(stack, sandbox))
    STACK.set(stack or "")


def means(stack: str, kubectl: Sequence[str] = ("kubectl",)) -> None:
    """The stack that this command was given, or found, and kubectl with the options for its
    cluster."""
    _GIVEN.set(replace(_GIVEN.get(), meant=stack, kubectl=tuple(kubectl)))
    STACK.set(stack)


def asks(job: str, asked: str) -> None:
    """The job that this command has found, and what it was given."""
    _GIVEN.set(replace(_GIVEN.get(), job=job, asked=asked))


def forget() -> None:
    """After a command."""
    _GIVEN.set(_NOTHING)
    STACK.set("")


def offered(*words: str) -> str:
    """A command line of aistack's, as a shell takes it. A sandbox that a variable names needs no
    option."""
    it = _GIVEN.get()
    options = [] if it.stack is None else ["--stack", it.stack]
    if it.sandbox is not None and os.environ.get(SANDBOX_VARIABLE) != str(it.sandbox):
        options += ["--sandbox", str(it.sandbox)]
    named = (it.asked if word == it.job else word for word in words)
    return shlex.join([aistack(), *named, *options])


def kubectl(*words: str) -> str:
    """A command line of kubectl's for the cluster of the stack."""
    return shlex.join([*_GIVEN.get().kubectl, *words])


def offered_start() -> str:
    """The command that starts the control plane of the sandbox's stack."""
    it = _GIVEN.get()
    return command("kube start", it.stack or it.meant or "NAME", it.sandbox or FOLDER)


def offered_up(*, refresh: bool = False) -> str:
    """The command that brings the stack to what its config says; with `refresh` it looks first at
    what is there."""
    it = _GIVEN.get()
    if it.sandbox is None:
        words = ["--refresh"] if refresh else []
        words += [] if it.stack is None else ["--stack", it.stack]
        return shlex.join(["pulumi", "up", *words])
    # Pulumi may have selected another one.
    name = it.stack or it.meant or "NAME"
    first = [command("refresh", name, it.sandbox)] if refresh else []
    return " && ".join([*first, command("up", name, it.sandbox, kube=KubeMode.real)])
