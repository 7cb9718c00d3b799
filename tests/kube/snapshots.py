"""`make snapshots` writes the snapshots that come with `aistack why`: three planted jobs on a real
control plane, each by `aistack snapshot`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from aistack.cluster import Cluster
from aistack.exit_codes import ExitCode
from aistack.sandbox_stack import sandbox_stack
from aistack.snapshot_names import EXAMPLES
from aistack.why.saved import judged
from cli.console import new_console
from kube.jobs import State
from sandbox.forget import forget
from sandbox.workspace import Workspace
from tests.kube.command_line import asked
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.planted_causes import CAUSES, PLAIN
from tests.kube.planted_ends import END_CAUSES
from tests.kube.planting import planted, wait_for_state

STACK = "lab"
_ALL = {**CAUSES, **END_CAUSES}
# A queue, Google Cloud, and the job's own program.
SHOWN = {name: _ALL[name] for name in ("collective-timeout", "quota-full", "stock-out")}


def make(live: LiveSandbox, folder: Path) -> None:
    """Into `folder`, by the stack of a sandbox that is up."""
    cluster = Cluster.of(sandbox_stack(live.workspace.root, STACK))
    # By then the autoscaler has brought what the stack itself asks for.
    wait_for_state(cluster, STACK, State.RUNNING)
    live.server.acting_as("kubectl").apply(PLAIN)
    with TemporaryDirectory() as logs, planted(live, cluster, SHOWN, Path(logs)):
        for name in SHOWN:
            eventually(lambda name=name: _cause(live, name, folder / f"{name}.json"), name.__eq__)


def _cause(live: LiveSandbox, name: str, file: Path) -> str:
    """What `why` says of a new snapshot."""
    done = asked(live, "snapshot", name, "--out", str(file))
    assert done.returncode == ExitCode.FINE, done.stderr
    _, said = judged(file.read_bytes(), file.name)
    return "" if said.reason is None else said.reason.cause


def main() -> int:
    with TemporaryDirectory() as folder:
        live = LiveSandbox(Workspace(Path(folder) / "sandbox", STACK))
        try:
            live.succeed("up")
            make(live, EXAMPLES)
        finally:
            forget(Workspace(live.workspace.root, ""))
    new_console().print(f"{len(SHOWN)} snapshots are in {EXAMPLES.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
