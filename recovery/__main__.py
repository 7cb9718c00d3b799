"""Puts a stack's state in order after a command that was killed: `aistack recover --stack dev`.

Looks up what became of the operations that were under way. Then the same command goes on from
there. It needs no packages, and what it prints of a state or of an error is text.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence

from cli.errors import UserError
from cli.lines import interrupted, say, say_aside
from cli.next_steps import aistack
from cli.parser import Parser
from cli.pulumi_cli import binary
from recovery import dashboards, report, state
from recovery.errors import LockedError, RecoveryError
from recovery.pending import Adoption, adopt_pending
from recovery.pulumi_stack import PulumiStack
from recovery.state import Deployment


def main(arguments: Sequence[str] | None = None) -> int:
    """Without arguments, those of the command line."""
    options = _parser().parse_args(arguments)
    try:
        stack = PulumiStack(options.stack, binary(), say)
        recover(stack, _ids(options.id), yes=options.yes)
    except (RecoveryError, UserError) as error:
        say_aside(f"error: {error}")
        return 1
    except KeyboardInterrupt:
        return interrupted()
    return 0


def recover(stack: PulumiStack, ids: dict[str, str], *, yes: bool) -> None:
    text = stack.export()
    exported = state.read(text)
    deployment: Deployment = exported["deployment"]
    adoption = _adopt(deployment, ids)
    say(*report.found(deployment, adoption))
    if not yes and not _agreed(f"Write this to the state of stack {stack.name}?"):
        raise RecoveryError("nothing was written")
    say(f"the state as it was: {state.back_up(text, stack.name)}")
    try:
        stack.replace(json.dumps({**exported, "deployment": adoption.deployment}))
    except LockedError as locked:
        _unlock(stack, locked, yes=yes)
        # Its owner may have written more before it died.
        return recover(stack, ids, yes=yes)
    if adoption.adopted:
        stack.refresh(adoption.adopted)
    after: Deployment = state.read(stack.export())["deployment"]
    say(*report.left(stack.name, adoption, after))
    return None


def _adopt(deployment: Deployment, ids: dict[str, str]) -> Adoption:
    """The adoption, with those ids looked up that the cloud chose."""
    orphans = adopt_pending(deployment).orphans
    found = {one.urn: ids[one.urn] for one in orphans if one.urn in ids}
    found |= {one.urn: dashboards.look_up(one) or "" for one in orphans if one.urn not in found}
    return adopt_pending(deployment, found)


def _unlock(stack: PulumiStack, locked: LockedError, *, yes: bool) -> None:
    """Remove the lock of a process that is no more: seen here, or said by a person."""
    for owner in locked.owners:
        if owner.is_of_this_machine and owner.is_alive:
            raise RecoveryError(f"{owner} is at work on the stack: wait until it has ended")
    if not locked.owners or not all(owner.is_of_this_machine for owner in locked.owners):
        say_aside(str(locked))
        if yes or not _agreed("Is it certain that no process is at work on this stack?"):
            raise RecoveryError(
                "nothing was written: make sure that no process is at work on the stack, then run "
                f"`pulumi cancel --stack {shlex.quote(stack.name)}` and this again"
            )
    stack.unlock()
    say("a killed command left its lock: it is removed")


def _agreed(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        raise RecoveryError("nobody is there to ask: --yes") from None


def _ids(given: list[str]) -> dict[str, str]:
    if not all("=" in one for one in given):
        raise RecoveryError("--id: must be URN=ID")
    return dict(one.rsplit("=", 1) for one in given)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=f"{aistack()} recover", description=__doc__)
    parser.add_argument("--stack", required=True, help="the stack that was left in the middle")
    parser.add_argument("--yes", action="store_true", help="write without asking")
    parser.add_argument(
        "--id", action="append", default=[], metavar="URN=ID", help="an id that you looked up"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
