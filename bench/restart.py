"""What a preemption costs in `make bench`: the time to the next first step of a running stack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from catalog.durations import RAY_CLUSTER
from cli.project import PROJECT_FOLDER
from cli.urns import name_of, token_of
from sandbox import deployment
from sandbox.image_pulls import POOL
from sandbox.restart import Part, restart_parts, total
from sandbox.workspace import Workspace
from stacks.node_pool_facts import pool_facts


def restart_seconds(folder: Path, stack: str) -> dict[str, float]:
    """Likely seconds by the accelerator pool that is taken, of a stack whose work is one Ray
    cluster; prints their parts."""
    workspace = Workspace(folder, stack, PROJECT_FOLDER)
    resources = list(deployment.resources(workspace.deployment()))
    if [token_of(it["urn"]) for it in resources].count(RAY_CLUSTER) != 1:
        return {}
    found: dict[str, float] = {}
    for pool in _accelerator_pools(resources, workspace):
        parts = restart_parts(resources, pool, workspace.durations())
        _print(stack, pool, parts)
        found[pool] = total(parts)
    return found


def _accelerator_pools(resources: list[Mapping[str, Any]], workspace: Workspace) -> Iterator[str]:
    catalog = workspace.catalog()
    for one in resources:
        if token_of(one["urn"]) == POOL and pool_facts(one["inputs"], catalog).accelerated:
            yield name_of(one["urn"])


def _print(stack: str, pool: str, parts: list[Part]) -> None:
    title = f"from a preemption of {pool} to the first step: {stack}"
    table = Table("part", "begins with", "low, s", "likely, s", "high, s", title=title)
    for it in parts:
        span = it.seconds
        amounts = (f"{one:.0f}" for one in (span.low, span.likely, span.high))
        table.add_row(it.name, it.starts_with, *amounts)
    Console().print(table)
