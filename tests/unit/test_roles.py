"""Every resource of every recorded stack has its permissions, and the roles that are named for it
allow these, with none too many. What a role allows is for Google to say."""

import pytest

from catalog.permissions import Operation, permission_table
from catalog.roles import allowed_by, fewest, roles_of, roles_table
from sandbox.cloud.kinds import KINDS
from sandbox.providers.functions import FUNCTIONS
from tests.conftest import ROOT, Register
from tests.parts.combinations import put_right
from tests.parts.cover import drawn
from tests.programs import registered
from tests.unit.stack_graphs import built
from tools.roles import commands, main, recorded_stacks, types_of

PAGE = (ROOT / "docs" / "roles.md").read_text(encoding="utf-8")
MADE: tuple[Operation, ...] = ("create", "read", "delete")
NETWORK, FIREWALL = "gcp:compute/network:Network", "gcp:compute/firewall:Firewall"
SAMPLE = 5


def are_enough_and_needed(types: list[str]) -> None:
    """For an `up` and a `destroy`."""
    theirs = [it for it in types if it.startswith(("gcp:", "kubernetes:"))]
    table = permission_table()
    needed = {it for one in theirs for each in MADE for it in table.needed(one, each)}
    allowed = {role: allowed_by(role) for role in roles_of(types, "change")}
    assert needed <= set().union(*allowed.values())
    for role in allowed:
        others = [it for other, it in allowed.items() if other != role]
        assert needed - set().union(*others), role


@pytest.mark.parametrize("stack", recorded_stacks())
def test_the_roles_of_a_recorded_stack_are_enough_and_each_of_them_is_needed(stack: str) -> None:
    are_enough_and_needed(types_of(stack))


def test_the_roles_of_combinations_of_parts_are_enough_and_needed() -> None:
    right = [it for raw in drawn(SAMPLE) if (it := put_right(raw)) is not None]
    assert right
    for _, plan in right:
        are_enough_and_needed(sorted({it.type for it in registered(plan).resources}))


def test_the_simulated_cloud_serves_nothing_that_has_no_permission() -> None:
    types = permission_table().types
    assert types.keys() == KINDS.keys() | FUNCTIONS
    assert all(it.create and it.delete for token, it in types.items() if token in KINDS)


def test_every_method_has_one_source_and_is_called() -> None:
    table = permission_table()
    known = [name for group in table.methods for name in group.permissions]
    called = {name for it in table.types.values() for name in (*it.of("update"), *it.of("delete"))}
    called |= {name for it in table.types.values() for name in it.create}
    assert len(known) == len(set(known))
    assert set(known) == called


def test_what_nobody_says_but_us_is_the_smallest_part() -> None:
    sizes = {it.own_reading: 0 for it in permission_table().methods}
    for group in permission_table().methods:
        sizes[group.own_reading] += len(group.permissions)
    print(f"{sizes[True]} of {sum(sizes.values())} methods have a permission that only we name")
    assert sizes[True] * 20 < sizes[False]


def test_a_type_that_nobody_looked_up_is_no_role_at_all() -> None:
    with pytest.raises(LookupError, match="no permission is known for gcp:sql/databaseInstance"):
        roles_of(["gcp:sql/databaseInstance:DatabaseInstance"], "change")


def test_firewall_rules_take_more_than_networks() -> None:
    roles = roles_of([NETWORK, FIREWALL], "change")
    assert roles == {
        "roles/compute.networkAdmin": [NETWORK],
        "roles/compute.securityAdmin": [FIREWALL],
    }


def test_of_two_roles_that_suffice_the_one_that_allows_less_is_taken() -> None:
    assert fewest(["compute.networks.get"]) == ["roles/compute.networkViewer"]
    assert fewest(["compute.networks.get", "compute.networks.create"]) == [
        "roles/compute.networkAdmin"
    ]


def test_a_permission_that_no_role_of_ours_allows_is_told() -> None:
    with pytest.raises(LookupError, match=r"no role is known for sql\.instances\.create"):
        fewest(["compute.networks.get", "sql.instances.create"])


def test_only_who_may_change_redis_reads_its_password() -> None:
    assert list(roles_of(["gcp:redis/instance:Instance"], "read")) == ["roles/redis.admin"]


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


def test_the_names_are_what_the_sandbox_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "--names"]) == 0
    assert capsys.readouterr().out.strip().split(",") == list(roles_of(types_of("dev"), "change"))
