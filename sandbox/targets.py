"""What `--target` and `--replace` name: a resource by its URN, as Pulumi wants it, or by its
logical name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catalog.table import nearest_names
from cli.errors import UserError
from cli.urns import name_of
from sandbox.deployment import resources
from sandbox.workspace import Workspace

_URN = "urn:pulumi:"
# The engine takes patterns of URNs (pulumi/pulumi pkg/resource/deploy/target.go, v3.256.0).
_ANY = "*"


def target_urns(
    workspace: Workspace, targets: Iterable[str], option: str = "--target"
) -> list[str]:
    """Raises UserError."""
    known = [str(it["urn"]) for it in resources(workspace.deployment())]
    return [_urn(it, known, option) for it in targets]


def _urn(target: str, known: Sequence[str], option: str) -> str:
    if _ANY in target or target in known:
        return target
    if target.startswith(_URN):
        raise _unknown(target, known, option)
    named = [it for it in known if name_of(it) == target]
    # A component has the name of what it is for.
    if len(named) > 1:
        listed = "".join(f"\n  {option} '{it}'" for it in named)
        raise UserError(f'{option}: "{target}": several have this name; nearest:{listed}')
    if not named:
        raise _unknown(target, known, option)
    return named[0]


def _unknown(target: str, known: Sequence[str], option: str) -> UserError:
    name = name_of(target) if target.startswith(_URN) else target
    near = nearest_names(name, {name_of(it) for it in known})
    return UserError(f'{option}: "{target}": the stack has no such resource; nearest: {near}')
