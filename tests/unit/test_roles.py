"""Every resource of every recorded stack has its permissions, and the roles that are named for it
allow these, with none too many. What a role allows is for Google to say."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from catalog.permissions import Operation, permission_table
from catalog.roles import TASKS, Task, allowed_by, fewest, roles_of, roles_table
from cli.project import stack_names
from sandbox.cloud.caller import Caller
from sandbox.cloud.kinds import KINDS
from sandbox.errors import CloudError
from sandbox.providers.functions import FUNCTIONS
from stacks.config import validate
from tests.conftest import ROOT, Recording, stack_config
from tests.parts.combinations import put_right
from tests.parts.cover import drawn
from tests.parts.samples import SAMPLES
from tests.programs import registered, whole_program
from tests.stacks.conftest import IN_EVERY_TEST
from tests.unit.effect_stacks import BASES
from tests.unit.test_config_effects import SECRETS
from tools.roles import commands, main, recorded_stacks, types_of

PAGE = (ROOT / "docs" / "roles.md").read_text(encoding="utf-8")
MADE: tuple[Operation, ...] = ("create", "read", "delete")
NETWORK, FIREWALL = "gcp:compute/network:Network", "gcp:compute/firewall:Firewall"
SAMPLE = 5
# Parts of others are read, which the stand-in for the engine does not have.
MADE_WHOLE = tuple(name for name in BASES if not name.startswith("own"))


def are_enough_and_needed(types: list[str]) -> None:
    """For an `up` and a `destroy`."""
    theirs = [it for it in types if it.startswith(("gcp:", "kubernetes:"))]
    table = permission_table()
    needed = {it for one in theirs for each in MADE for it in table.needed(one, each)}
    allowed = {role: allowed_by(role) for role in roles_of(types, "up")}
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


def protected(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config, saying nothing of protection, which is then on."""
    return {key: value for key, value in config.items() if key != "deletion_protection"}


def has_roles(config: Mapping[str, Any]) -> None:
    """For all that the whole program registers, to read it as to change it."""
    types = {it.type for it in whole_program(protected(config)).resources}
    assert "gke-ai-stacks-guard:guard:DeletionGuard" in types
    assert all(roles_of(types, task) for task in ("drift", "up", "destroy"))
    roles_of(types, "preview")
    # What `aistack work` reads in the cluster before a destroy.
    assert "roles/container.admin" in roles_of(types, "destroy")


@pytest.mark.parametrize(
    "config",
    [*(pytest.param(stack_config(it), id=it) for it in stack_names()), *SAMPLES.values()],
    ids=lambda it: it.get("name"),
)
def test_a_stack_that_says_nothing_of_protection_has_its_roles(config: dict[str, Any]) -> None:
    has_roles(config)


def test_combinations_of_parts_that_say_nothing_of_protection_have_their_roles() -> None:
    right = [it for raw in drawn(SAMPLE) if (it := put_right(protected(raw))) is not None]
    assert right
    for config, _ in right:
        has_roles(config)


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
        roles_of(["gcp:sql/databaseInstance:DatabaseInstance"], "up")


def test_firewall_rules_take_more_than_networks() -> None:
    roles = roles_of([NETWORK, FIREWALL], "up")
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


REDIS, SECRET = "gcp:redis/instance:Instance", "kubernetes:core/v1:Secret"
RELEASE = "kubernetes:helm.sh/v3:Release"
VERBS_THAT_CHANGE = ("create", "delete", "update", "setIamPolicy", "actAs", "enable", "disable")


def allowed_to(stack: str, task: Task) -> set[str]:
    return {it for role in roles_of(types_of(stack), task) for it in allowed_by(role)}


@pytest.mark.parametrize("task", ["preview", "drift"])
@pytest.mark.parametrize("stack", recorded_stacks())
def test_who_previews_or_looks_for_drift_changes_nothing(stack: str, task: Task) -> None:
    assert not [it for it in allowed_to(stack, task) if it.endswith(VERBS_THAT_CHANGE)]
    assert roles_table().state[task] == "roles/storage.objectViewer"


@pytest.mark.parametrize("stack", recorded_stacks())
def test_who_previews_reads_no_secret(stack: str) -> None:
    assert "container.secrets.get" not in allowed_to(stack, "preview")


def test_a_preview_reads_nothing_that_the_state_has() -> None:
    assert roles_of([NETWORK, REDIS], "preview") == {}
    assert list(roles_of(["gcp:compute/getNetwork:getNetwork"], "preview")) == [
        "roles/compute.networkViewer"
    ]
    assert list(roles_of([SECRET, RELEASE], "preview")) == ["roles/container.viewer"]


def test_who_looks_for_drift_reads_secrets_and_passwords_by_roles_of_the_projects_own() -> None:
    assert list(roles_of([SECRET, REDIS], "drift")) == [
        "custom/stacksClusterReader",
        "custom/stacksRedisReader",
    ]


def test_a_destroy_gives_nodes_no_account() -> None:
    for stack in recorded_stacks():
        assert "iam.serviceAccounts.actAs" not in allowed_to(stack, "destroy")


@pytest.mark.parametrize("stack", recorded_stacks())
def test_nobody_may_act_as_any_account_or_write_in_clusters_to_read_them(stack: str) -> None:
    for task in TASKS:
        roles = roles_of(types_of(stack), task)
        assert not roles.keys() & {it.instead_of for it in roles_table().custom.values()} - {
            "roles/redis.admin"
        }


def test_a_role_of_the_projects_own_is_made_before_it_is_given() -> None:
    lines = commands("dev")
    made = next(it for it in lines if "gcloud iam roles create stacksNodeAccounts " in it)
    given = next(it for it in lines if "--role=projects/PROJECT/roles/stacksNodeAccounts " in it)
    assert lines.index(made) < lines.index(given)
    permissions = "create,iam.serviceAccounts.delete,iam.serviceAccounts.get"
    assert f"--permissions=iam.serviceAccounts.{permissions},iam.serviceAccounts.update" in made
    assert "setIamPolicy" not in made


def test_a_role_that_another_task_or_stack_has_made_is_not_made_again() -> None:
    made = {
        line
        for stack in IN_EVERY_TEST
        for task in TASKS
        for line in commands(stack, task)
        if "gcloud iam roles create " in line
    }
    names = [it.partition("gcloud iam roles create ")[2].split()[0] for it in made]
    assert len(names) == len(set(names))
    for name, line in zip(names, made, strict=True):
        assert line.startswith(f"gcloud iam roles describe {name} --project=PROJECT ")


def test_the_state_is_out_of_reach_of_who_may_change_buckets() -> None:
    (line,) = (it for it in commands("dev") if "--role=roles/storage.admin " in it)
    assert "!resource.name.startsWith('projects/_/buckets/STATE_BUCKET')" in line


@cache
def made_of(base: str, folder: Path) -> Recording:
    return registered(validate(BASES[base], secrets_set=SECRETS), folder=folder)


def granted(base: str, folder: Path) -> set[str]:
    """The roles on the project that the program gives."""
    token = "gcp:projects/iAMMember:IAMMember"
    return {it.inputs["role"] for it in made_of(base, folder).resources if it.type == token}


def test_the_roles_of_stacks_with_every_part_are_enough_and_the_caller_may_grant_what_they_grant(
    folder: Path,
) -> None:
    """Members of teams among them, which no preset has. One test: each stack is made once."""
    for base in MADE_WHOLE:
        are_enough_and_needed(sorted({it.type for it in made_of(base, folder).resources}))
    every = set().union(*(granted(it, folder) for it in MADE_WHOLE))
    (limit,) = roles_table().limits.values()
    assert set(limit) == every
    (line,) = (it for it in commands("b200-lustre") if "projectIamAdmin" in it)
    assert f".hasOnly({sorted(every)})" in line


def test_members_of_teams_find_the_cluster_by_a_role_that_the_caller_may_grant(
    folder: Path,
) -> None:
    caller = Caller(tuple(roles_of(types_of("dev"), "up")))
    found = granted("teams", folder)
    assert "roles/container.clusterViewer" in found
    for role in found:
        caller.check_grant(role)


def test_a_role_outside_of_the_condition_is_refused_as_google_refuses_it() -> None:
    caller = Caller(("roles/resourcemanager.projectIamAdmin",))
    with pytest.raises(CloudError, match=r"Policy update access denied.* not roles/owner"):
        caller.check_grant("roles/owner")
    Caller().check_grant("roles/owner")


def test_the_page_has_the_table_and_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["dev"], ["dev", "--for", "drift"]):
        assert main(arguments) == 0
        assert capsys.readouterr().out in PAGE


def test_the_names_are_what_the_sandbox_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "--names"]) == 0
    assert capsys.readouterr().out.strip().split(",") == list(roles_of(types_of("dev"), "up"))
