"""A platform goes after the stacks that stand on its cluster: with it all that they have there
would be gone, and their own destroy would meet a cluster that is not there.

What counts is what is up. A config says what is wanted next, and a preview may be all that it was
given to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cli.errors import UserError
from cli.next_steps import command
from sandbox.cloud.kinds.cluster import Cluster, is_named
from sandbox.cloud.kinds.pools import POOL
from sandbox.cloud.resource import Resource
from sandbox.workspace import Workspace

_PROVIDER = "pulumi:providers:kubernetes"


def refuse_platform_in_use(workspace: Workspace) -> None:
    """Raises UserError where another stack has node pools or objects in a cluster of this one."""
    if standing := standing_on(workspace):
        raise UserError(
            f"--stack: {workspace.stack}: its cluster has node pools or objects of "
            f"{', '.join(standing)}; nearest: "
            + ", then ".join(f"`{command('destroy', it, workspace.root)}`" for it in standing)
        )


def standing_on(workspace: Workspace) -> list[str]:
    """The other stacks with node pools or objects in a cluster that this one made."""
    cloud = workspace.cloud()
    own = set(cloud.inventory(workspace.stack).get(Cluster.token, ()))
    clusters = [it for it in cloud.find(Cluster.token) if it.id in own]
    if not clusters:
        return []
    return [
        other.stack
        for other in workspace.beside()
        if _has_pools(cloud.inventory(other.stack).get(POOL, ()), clusters)
        or _has_objects(list(_resources(other)), clusters)
    ]


def _has_pools(pools: Sequence[str], clusters: Sequence[Resource]) -> bool:
    return any(pool.startswith(f"{it.id}/") for pool in pools for it in clusters)


def _has_objects(state: Sequence[Mapping[str, Any]], clusters: Sequence[Resource]) -> bool:
    """On Autopilot a stack has objects alone."""
    providers = {
        one["urn"]
        for one in state
        if one["type"] == _PROVIDER
        if any(is_named(it, str((one.get("inputs") or {}).get("kubeconfig"))) for it in clusters)
    }
    return any(str(one.get("provider")).rpartition("::")[0] in providers for one in state)


def _resources(workspace: Workspace) -> Iterator[Mapping[str, Any]]:
    """The engine's record; of one that is cut its pools still say where it is."""
    for file in workspace.state_files():
        try:
            document = json.loads(file.read_bytes())
        except ValueError:
            continue
        yield from (document["checkpoint"].get("latest") or {}).get("resources") or []
