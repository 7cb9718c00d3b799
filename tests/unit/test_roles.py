"""Every resource of every recorded stack has a role; what a role allows is for Google to say."""

import pytest

from catalog.roles import roles_of, roles_table
from tests.conftest import ROOT, Register
from tests.unit.stack_graphs import built
from tools.roles import commands, main, recorded_stacks, types_of

PAGE = (ROOT / "docs" / "roles.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("stack", recorded_stacks())
def test_every_type_of_a_recorded_stack_has_its_roles(stack: str) -> None:
    types = [it for it in types_of(stack) if it.startswith(("gcp:", "kubernetes:"))]
    for task in ("change", "read"):
        roles = roles_of(types, task)
        assert {one for covered in roles.values() for one in covered} == set(types)


def test_a_type_that_nobody_looked_up_is_no_role_at_all() -> None:
    with pytest.raises(LookupError, match="no role is known for gcp:sql/databaseInstance"):
        roles_of(["gcp:sql/databaseInstance:DatabaseInstance"], "change")


def test_firewall_rules_take_more_than_networks() -> None:
    network, firewall = "gcp:compute/network:Network", "gcp:compute/firewall:Firewall"
    roles = roles_of([network, firewall], "change")
    assert roles == {
        "roles/compute.networkAdmin": [network],
        "roles/compute.securityAdmin": [firewall],
    }


def test_who_previews_changes_nothing_at_google() -> None:
    for stack in recorded_stacks():
        reading = roles_of(types_of(stack), "read")
        assert not [role for role in reading if role.endswith(("Admin", ".admin", "Editor"))]


def test_the_caller_may_grant_just_what_the_program_grants(register: Register) -> None:
    made = built(register, "b200-lustre", keys=("hugging_face_token",))
    granted = {it.inputs["role"] for it in made.of_type("projects/iAMMember:IAMMember")}
    (limit,) = roles_table().limits.values()
    assert set(limit) == granted
    (line,) = (it for it in commands("b200-lustre") if "projectIamAdmin" in it)
    assert f".hasOnly({sorted(granted)})" in line


def test_the_page_has_the_table_and_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["dev"]):
        assert main(arguments) == 0
        assert capsys.readouterr().out in PAGE
