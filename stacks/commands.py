"""Commands that messages name: with the stack that the message is about, for without it Pulumi
takes the one that is selected; and `aistack` as this process was called. No Pulumi import."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

AISTACK = "aistack"

# What Pulumi calls it; empty where nobody knows.
STACK: ContextVar[str] = ContextVar("stack", default="")


@contextmanager
def about(stack: str) -> Iterator[None]:
    """The stack of what is said in the block; that of the block around it where it has no name."""
    before = STACK.set(stack or STACK.get())
    try:
        yield
    finally:
        STACK.reset(before)


def aistack() -> str:
    """The word that runs `aistack` in the user's shell: a path where it was called by one. Called
    as a module, or by Pulumi, the program has its bare name."""
    called = Path(sys.argv[0])
    if called.name != AISTACK:
        return AISTACK
    # The kernel hands a script of the PATH its whole path.
    found = shutil.which(AISTACK)
    if called.is_absolute() and found is not None and Path(found).absolute() == called:
        return AISTACK
    here = Path.cwd()
    return str(called.relative_to(here) if called.is_relative_to(here) else called)


def of_stack(command: str) -> str:
    """A command of `pulumi` or `aistack`, for the stack that this is about."""
    stack = STACK.get()
    return f"{command} --stack {stack}" if stack else command


def setting(key: str) -> str:
    """The command that sets a key of the config which is a place or a secret."""
    if key.startswith("gcp:"):
        name = key.removeprefix("gcp:").upper()
        return of_stack(f"pulumi config set {key} {name}")
    return of_stack(f"pulumi config set --secret {key}")
