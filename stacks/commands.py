"""Commands that messages name: with the stack that the message is about, for without it Pulumi
takes the one that is selected. No Pulumi import."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
