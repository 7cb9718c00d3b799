"""Runs one sandbox verb in a process of its own and prints what it took, as one JSON line."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from pathlib import Path

# The stack of a program that makes nothing, which is previewed alone.
EMPTY_STACK = "empty"


def main(project: str, folder: str, stack: str, verb: str, speed: str) -> None:
    from sandbox.engine import Engine, RunOptions
    from sandbox.faults import Faults
    from sandbox.run import run
    from sandbox.workspace import Workspace

    workspace = Workspace(Path(folder), stack, Path(project))
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        if stack == EMPTY_STACK:
            # It has no config that could be checked first.
            with workspace.lock():
                engine = Engine(workspace, workspace.prepare([]))
                options = RunOptions(speed=float(speed), faults=Faults(), on_output=print)
                result = engine.run("preview", options)
        else:
            result = run(workspace, verb, float(speed), [], Faults())  # type: ignore[arg-type]
    sdk = sorted(
        name for name in sys.modules if name.split(".")[0] in ("pulumi_gcp", "pulumi_kubernetes")
    )
    print(
        json.dumps(
            {
                **result.to_json(),
                "ok": result.ok,
                # Kilobytes on Linux.
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "processor_s": _processor_seconds(),
                "sdk_modules": sdk,
            }
        )
    )


def _processor_seconds() -> float:
    """Of this process and of the engine's, which has ended."""
    used = [resource.getrusage(it) for it in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main(*sys.argv[1:])
