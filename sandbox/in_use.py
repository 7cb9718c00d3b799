"""A platform goes after the stacks that stand on its cluster: with it all that they have there
would be gone, and their own destroy would meet a cluster that is not there."""

from __future__ import annotations

from dataclasses import replace

from sandbox.errors import UserError
from sandbox.names import PROJECT
from sandbox.workspace import Workspace


def refuse_platform_in_use(workspace: Workspace) -> None:
    """Raises UserError where another stack is up whose config names this one as its platform."""
    others = [it.name for it in sorted((workspace.root / "stacks").iterdir())]
    standing = [
        name
        for name in others
        if _platform_of(replace(workspace, stack=name)) == workspace.stack
        and workspace.cloud().inventory(name)
    ]
    if standing:
        raise UserError(
            f"--stack: {workspace.stack}: its cluster has {', '.join(standing)} on it, by "
            "cluster.stack of the config; nearest: "
            + ", then ".join(f"`destroy --stack {it}`" for it in standing)
        )


def _platform_of(workspace: Workspace) -> str | None:
    """The stack of this project that the config of the last command names."""
    stack = workspace.config().get(f"{PROJECT}:stack")
    cluster = stack.get("cluster") if isinstance(stack, dict) else None
    reference = cluster.get("stack") if isinstance(cluster, dict) else None
    if not isinstance(reference, str):
        return None
    rest, _, name = reference.rpartition("/")
    return name if rest.rpartition("/")[2] == PROJECT else None
