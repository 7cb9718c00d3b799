"""`make demo`: what a newcomer sees first."""

from __future__ import annotations

from cli.console import new_console
from cli.kube_mode import KubeMode
from cli.lines import say
from sandbox.engine import Verb
from sandbox.faults import Faults
from sandbox.kube_choice import has_queues, is_real, said
from sandbox.report import print_report
from sandbox.run import print_cost, run
from sandbox.workspace import Workspace

CHAPTERS: tuple[tuple[Verb, str], ...] = (
    ("preview", "1 of 3: what would be made"),
    ("up", "2 of 3: making it, on the real Pulumi engine and a simulated cloud"),
    ("preview", "3 of 3: the same preview again has nothing left to do"),
)


def demo(workspace: Workspace, speed: float, kube: KubeMode) -> bool:
    """Preview, up, preview; leaves the stack up. False when a chapter fails or is not as told."""
    results = []
    real = is_real(workspace, kube)
    console = new_console()
    if real or has_queues(workspace):
        console.print(said(workspace, real=real), soft_wrap=True)
    # Held from chapter to chapter, so that nothing changes the stack in between.
    with workspace.lock():
        for verb, title in CHAPTERS:
            console.print()
            console.print(f"=== {title}", style="bold")
            console.print()
            result = run(workspace, verb, speed, [], Faults(), real_kube=real, locked=True)
            if not result.ok:
                print_report(result, workspace.root, protected=workspace.is_protected)
                return False
            results.append(result)
    _, made, again = results
    print_report(made, workspace.root, protected=workspace.is_protected)
    print_cost(made, workspace)
    changed = {kind: count for kind, count in again.report.changes.items() if kind != "same"}
    if changed:
        say(f"the second preview should be empty, but it has {changed}")
    return not changed
