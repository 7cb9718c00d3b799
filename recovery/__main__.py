"""`pulumi stack export --file dev-state.json; python -m recovery dev-state.json`, then as it says.

Rewrites the exported state, and prints the commands that finish the repair.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from recovery import exported
from recovery.advice import default_pools, look_up
from recovery.pending import adopt_pending


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    file: Path = options.state
    ids = dict(one.rsplit("=", 1) for one in options.id if "=" in one)
    if len(ids) != len(options.id):
        print("--id: must be URN=ID", file=sys.stderr)
        return 2
    try:
        state = exported.read(file)
    except exported.NotAStateError as error:
        print(f"{file}: not an exported state: {error}", file=sys.stderr)
        return 1
    deployment = state["deployment"]
    if not deployment.get("pending_operations"):
        print("no operation is pending: there is nothing to do")
        return 0
    adoption = adopt_pending(deployment, ids)
    for orphan in adoption.orphans:
        print("\n".join(look_up(orphan)))
    if not adoption.adopted:
        print("no pending create to adopt")
    try:
        backup = exported.replace(file, {**state, "deployment": adoption.deployment})
    except OSError as error:
        print(f"{file}: could not be replaced, and is as it was: {error}", file=sys.stderr)
        return 1
    print(f"the state as it was: {backup}")
    stack = _stack(deployment)
    print(f"now run: pulumi stack import --stack {stack} --file {file}")
    if adoption.adopted:
        targets = " ".join(f"--target '{urn}'" for urn in adoption.adopted)
        print(f"then:    pulumi refresh --stack {stack} {targets}")
    for line in default_pools(adoption):
        print(line)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m recovery", description=__doc__)
    parser.add_argument("state", type=Path, help="what `pulumi stack export --file` wrote")
    parser.add_argument(
        "--id", action="append", default=[], metavar="URN=ID", help="an id that you looked up"
    )
    return parser


def _stack(deployment: dict[str, Any]) -> str:
    """The stack's name, from a URN: `urn:pulumi:STACK::PROJECT::TYPE::NAME`."""
    urn = deployment["pending_operations"][0]["resource"]["urn"]
    return urn.split("::")[0].removeprefix("urn:pulumi:")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
