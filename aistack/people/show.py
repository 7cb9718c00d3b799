"""People's work, to a person as a table and to a script as JSON."""

from __future__ import annotations

from typing import Any

from aistack.offered import kubectl
from aistack.people.look import Look
from cli.console import new_console, new_table


def show_work(found: Look) -> None:
    table = new_table("namespace", "work", "team", "by", "queue", "acc.", "a destroy")
    for work, effect in found.works:
        count = str(work.accelerators or "")
        words = (f"{work.kind} {work.name}", work.team, work.submitter, work.queue, count)
        table.add_row(work.namespace, *words, "" if effect is None else effect.what)
    console = new_console()
    console.print(table if found.works else "nobody has anything in the cluster but the stack")
    if found.stop_first:
        console.print()
        console.print("a destroy does not end these; stop them first:")
        for work in found.stop_first:
            console.print(f"  {work.command(kubectl())}", soft_wrap=True)
    if found.networks:
        console.print()
        console.print("what others made in the stack's VPC network holds it up; to look for it:")
        for line in found.networks:
            console.print(f"  {line}", soft_wrap=True)
    if found.partly:
        console.print("what is outside the stack's namespaces is not yours to see")


def work_json(found: Look) -> dict[str, Any]:
    works = [
        {
            **vars(work),
            "pools": sorted(work.pools),
            "uses": [str(it) for it in sorted(work.uses)],
            "leftover": None if work.leftover is None else work.leftover.sentence,
            "destroy": None if effect is None else effect.what,
            "stop_first": effect is not None and effect.holds,
            "command": work.command(kubectl()),
        }
        for work, effect in found.works
    ]
    return {"work": works, "partly": found.partly, "look_for": list(found.networks)}
