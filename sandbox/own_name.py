"""Two stacks of one project cannot have one name: every cloud name is made of it."""

from __future__ import annotations

from cli.errors import UserError
from sandbox.workspace import Workspace
from stacks.names_beside import free_name


def refuse_taken_name(workspace: Workspace) -> None:
    """Raises UserError where another stack is up under the name, which the engine cannot know:
    its preview would be clean, and `up` would meet ALREADY_EXISTS."""
    name, project = _name_of(workspace)
    if name is None:
        return
    for other in workspace.beside():
        if _name_of(other) == (name, project) and workspace.cloud().inventory(other.stack):
            raise UserError(
                f'stack.name: "{name}": stack {other.stack} is up under that name in project '
                f"{project}, and names in a project are unique; nearest: {free_name(name, ())}"
            )


def _name_of(workspace: Workspace) -> tuple[str | None, str | None]:
    """Name and project, as the last command on the stack had them."""
    name = workspace.stack_object().get("name")
    return name if isinstance(name, str) else None, workspace.config().get("gcp:project")
