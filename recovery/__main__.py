"""`pulumi stack export --file state.json; python -m recovery state.json; pulumi stack import --file
state.json`.

Rewrites the exported state in place, and prints the refresh that finishes the repair.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from recovery.pending import adopt_pending


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m recovery STATE.json", file=sys.stderr)
        return 2
    file = Path(arguments[0])
    try:
        state = json.loads(file.read_text())
        adoption = adopt_pending(state["deployment"])
    except (OSError, ValueError, KeyError) as error:
        print(f"{file}: not an exported state: {error}", file=sys.stderr)
        return 1
    for urn in adoption.orphans:
        print(f"cannot derive the id of {urn}: look for it in the cloud console and delete it")
    if not adoption.adopted:
        print("no pending create to adopt")
    file.write_text(json.dumps({**state, "deployment": adoption.deployment}, indent=2))
    print(f"now run: pulumi stack import --file {file}")
    if adoption.adopted:
        print(
            "then:    pulumi refresh " + " ".join(f"--target '{urn}'" for urn in adoption.adopted)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
