"""Stacks whose caller has the roles that the docs name for them, through the real engine.

A sample of the stacks and of the roles, another one for each commit; all with ALL_COMBINATIONS=1.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

from catalog.permissions import Operation, permission_table
from catalog.roles import allowed_by, roles_of
from sandbox.workspace import Workspace
from tests.parts.sampling import a_sample
from tests.stacks.conftest import CANARY, Sandbox
from tools.roles import recorded_stacks, types_of

pytestmark = pytest.mark.thorough

# Whoever may not change networks neither makes nor deletes them; all stacks have some.
NETWORKS = "roles/compute.networkAdmin"
WHOLE, WITHOUT = 1, 3


def roles(stack: str) -> tuple[str, ...]:
    return tuple(roles_of(types_of(stack), "up"))


def without(stack: str, role: str) -> tuple[str, ...]:
    return tuple(it for it in roles(stack) if it != role)


def lacking(stack: str, role: str, operation: Operation) -> set[str]:
    """What it takes to make or to delete the stack that no other of its roles allows."""
    types = [it for it in types_of(stack) if it.startswith(("gcp:", "kubernetes:"))]
    needed = {it for one in types for it in permission_table().needed(one, operation)}
    return needed.difference(*map(allowed_by, without(stack, role)))


def named(permissions: set[str], lines: Iterable[str]) -> bool:
    return any(f"'{it}'" in line or f'"{it}"' in line for it in permissions for line in lines)


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)


@pytest.mark.parametrize("stack", a_sample(recorded_stacks(), WHOLE))
def test_with_the_roles_that_the_docs_name_a_stack_comes_up_and_goes(
    tmp_path: Path, stack: str
) -> None:
    sandbox = Sandbox(Workspace(tmp_path / "sandbox", stack))
    up = sandbox.run("up", roles=roles(stack))
    assert up.ok, up.report.diagnostics
    refused = sandbox.run("destroy", roles=without(stack, NETWORKS))
    assert not refused.ok
    assert named(lacking(stack, NETWORKS, "delete"), refused.report.diagnostics)
    gone = sandbox.run("destroy", roles=roles(stack))
    assert gone.ok, gone.report.diagnostics
    assert set(sandbox.cloud.inventory()) <= {"gcp:projects/service:Service"}


@pytest.mark.parametrize(
    "pair",
    a_sample([f"{it} {role}" for it in recorded_stacks() for role in roles(it)], WITHOUT),
)
def test_without_one_of_them_up_fails_with_the_name_of_a_permission(
    tmp_path: Path, pair: str
) -> None:
    stack, role = pair.split()
    sandbox = Sandbox(Workspace(tmp_path / "sandbox", stack))
    result = sandbox.run("up", roles=without(stack, role))
    assert not result.ok
    assert named(lacking(stack, role, "create"), result.report.diagnostics), (
        result.report.diagnostics
    )
