"""The page of security names the roles and the identities that there are."""

from __future__ import annotations

import re

import pytest

from catalog.roles import allowed_by, roles_of
from cli.project import stack_names
from stacks.config import validate
from tests.conftest import ROOT, stack_config
from tests.programs import WITH_ALL_SECRETS, registered
from tools.roles import recorded_stacks, types_of

ROLES = (ROOT / "docs" / "roles.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
OPEN = PAGE.split("## What is not protected")[1]


@pytest.mark.parametrize("identity", ["stacks-up", "stacks-destroy"])
def test_who_may_write_the_state_is_who_the_roles_let(identity: str) -> None:
    assert identity in OPEN
    assert f"gcloud iam service-accounts create {identity}" in ROLES


def test_roles_that_reach_accounts_and_clusters_of_others_are_told() -> None:
    """With both, who has them runs pods as any account of the project."""
    reaching = {"iam.serviceAccounts.actAs", "container.clusters.create", "storage.buckets.create"}
    roles = {role for stack in recorded_stacks() for role in roles_of(types_of(stack), "up")}
    told = {role for role in roles if reaching & allowed_by(role)}
    assert len(told) == len(reaching)
    assert told <= set(re.findall(r"roles/[\w.]+\w", OPEN))


def test_a_repository_is_known_by_its_numbers_and_not_by_a_name_that_others_may_take() -> None:
    """google-github-actions/auth docs/SECURITY_CONSIDERATIONS.md: names are reused."""
    (condition,) = re.findall(r'--attribute-condition="(.*)"', ROLES)
    assert set(re.findall(r"assertion\.(\w+)", condition)) == {
        "repository_id",
        "repository_owner_id",
    }


def test_all_identities_but_a_previews_are_for_the_branch_main_alone() -> None:
    """By the token's own claim, whatever the settings of an environment let through."""
    places = dict(
        re.findall(r"add-iam-policy-binding stacks-(\w+)@\S+.*?/attribute\.(\S+)", ROLES, re.DOTALL)
    )
    assert set(places) == {"preview", "drift", "up", "destroy"}
    for identity, place in places.items():
        assert place.endswith("@refs/heads/main") == (identity != "preview")
    (mapping,) = re.findall(r"--attribute-mapping=(.*)", ROLES)
    assert "assertion.environment" in mapping
    assert "assertion.ref" in mapping


def roles_of_nodes(stack: str) -> set[str]:
    """What accounts of nodes have, on whatever it is."""
    made = registered(validate(stack_config(stack), secrets_set=WITH_ALL_SECRETS), stack=stack)
    accounts = {it.inputs["accountId"] for it in made.of_type("serviceaccount/account:Account")}
    members = [it.inputs for it in made.resources if it.custom and "role" in it.inputs]
    of_nodes = [it for it in members if account_of(str(it.get("member"))) in accounts]
    assert of_nodes
    return {it["role"] for it in of_nodes}


@pytest.mark.parametrize("stack", stack_names())
def test_ranges_are_in_policies_alone_that_the_page_names(stack: str) -> None:
    """Some data planes take pods for part of a range of all addresses."""
    plan = validate(stack_config(stack), secrets_set=WITH_ALL_SECRETS)
    made = registered(plan, stack=stack)
    ranged = {
        it.name
        for it in made.of_type(":NetworkPolicy")
        if any("ipBlock" in one for rule in it.inputs["spec"]["ingress"] for one in rule["from"])
    }
    ray = plan.stack.ray if plan.stack.cluster.ray_operator == "addon" else {}
    assert len(ranged) == len(ray) + len(plan.servers) + len(plan.teams)
    assert "of servers, of teams and of Ray with GKE's operator" in " ".join(OPEN.split())


def account_of(member: str) -> str:
    return member.partition(":")[2].partition("@")[0]


def test_the_page_names_every_role_that_nodes_of_a_preset_have() -> None:
    (row,) = re.findall(r"^\| Nodes have no role but (.*?) \|", PAGE, re.M)
    given = {role for stack in stack_names() for role in roles_of_nodes(stack)}
    assert set(re.findall(r"roles/[\w.]+", row)) == given
