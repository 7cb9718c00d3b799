"""What docs/hardened.md says of roles, held against those that operators bring.

The files are those of the operators' own releases, of which the charts' templates are written; no
control plane runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kube.objects import JsonObject
from sandbox.control_plane.binaries import MANIFESTS
from sandbox.live_kube.operators.kustomization import customized

OPERATORS = ("jobset", "kuberay", "kueue")
EVERYBODY = {
    *("cluster-admin", "system:masters", "system:anonymous"),
    *("system:authenticated", "system:unauthenticated"),
}


def of_kinds(operator: str, *kinds: str) -> list[JsonObject]:
    objects = customized(MANIFESTS / operator / "rbac")
    found = [it for it in objects if it["kind"] in kinds]
    assert found
    return found


def rules(operator: str, *kinds: str) -> Iterator[JsonObject]:
    for role in of_kinds(operator, *kinds):
        yield from role.get("rules") or []


def reads_secrets(operator: str, kind: str) -> bool:
    return any("secrets" in it.get("resources", []) for it in rules(operator, kind))


def test_kuberay_alone_reads_secrets_in_the_whole_cluster() -> None:
    assert [it for it in OPERATORS if reads_secrets(it, "ClusterRole")] == ["kuberay"]


@pytest.mark.parametrize("operator", ["jobset", "kueue"])
def test_an_operator_reads_the_secrets_of_its_own_namespace(operator: str) -> None:
    assert reads_secrets(operator, "Role")


@pytest.mark.parametrize("operator", OPERATORS)
def test_roles_of_operators_have_no_wildcard_and_hand_on_no_right(operator: str) -> None:
    for rule in rules(operator, "ClusterRole", "Role"):
        for key in ("apiGroups", "resources", "verbs"):
            assert "*" not in rule.get(key, [])
        assert not {"bind", "impersonate", "escalate"} & {*rule["verbs"]}


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_bind_no_role_to_everybody_and_none_of_administrators(operator: str) -> None:
    for binding in of_kinds(operator, "ClusterRoleBinding", "RoleBinding"):
        named = {binding["roleRef"]["name"], *(it["name"] for it in binding["subjects"])}
        assert not named & EVERYBODY
