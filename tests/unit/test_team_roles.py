"""What a team's roles hold; that an API server reads them so, the tests of the real one show."""

import pytest

from components.teams.team import role_rules

READS = {"get", "list", "watch"}


def verbs(role: str, group: str, resource: str) -> set[str]:
    return {
        verb
        for rule in role_rules(role)
        if group in rule["apiGroups"] and resource in rule["resources"]
        for verb in rule["verbs"]
    }


WORK = [
    ("", "pods"),
    ("batch", "jobs"),
    ("ray.io", "rayclusters"),
    ("ray.io", "rayjobs"),
    ("jobset.x-k8s.io", "jobsets"),
]


@pytest.mark.parametrize(("group", "resource"), WORK)
def test_who_edits_makes_and_ends_work_and_who_views_sees_it(group: str, resource: str) -> None:
    assert verbs("edit", group, resource) >= {*READS, "create", "patch", "delete"}
    assert verbs("view", group, resource) == READS


@pytest.mark.parametrize(
    ("group", "resource"),
    [
        ("", "resourcequotas"),
        ("", "limitranges"),
        ("", "serviceaccounts"),
        ("kueue.x-k8s.io", "localqueues"),
        ("kueue.x-k8s.io", "workloads"),
        ("networking.k8s.io", "networkpolicies"),
        ("rbac.authorization.k8s.io", "rolebindings"),
    ],
)
def test_what_bounds_a_team_its_members_only_see(group: str, resource: str) -> None:
    assert verbs("edit", group, resource) == verbs("view", group, resource) == READS


@pytest.mark.parametrize("resource", ["secrets", "pods/exec", "pods/portforward", "pods/attach"])
def test_who_views_sees_no_secret_and_gets_into_no_pod(resource: str) -> None:
    assert verbs("view", "", resource) == set()
    assert {"get", "create"} <= verbs("edit", "", resource)


@pytest.mark.parametrize(
    ("group", "resource"),
    [
        ("", "endpoints"),
        ("", "nodes/proxy"),
        ("", "pods/proxy"),
        ("", "services/proxy"),
        ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("apiregistration.k8s.io", "apiservices"),
    ],
)
def test_no_member_has_the_api_server_ask_others(group: str, resource: str) -> None:
    assert verbs("edit", group, resource) | verbs("view", group, resource) == set()


def test_no_member_writes_the_revisions_that_a_stateful_set_is_restored_from() -> None:
    """Who writes both has the StatefulSet controller make pods in other namespaces, up to
    Kubernetes 1.34.11, 1.35.8, 1.36.4 and in 1.37.0 (CVE-2026-2270, kubernetes/kubernetes #142097;
    announced on oss-security on 2026-09-23)."""
    assert {"create", "patch"} <= verbs("edit", "apps", "statefulsets")
    for role in ("view", "edit"):
        assert verbs(role, "apps", "controllerrevisions") == set()
        assert not any("*" in rule["resources"] for rule in role_rules(role))


def test_nobody_acts_as_somebody_else_or_has_everything() -> None:
    for role in ("view", "edit"):
        assert not {"impersonate", "escalate", "bind", "*"} & {
            verb for rule in role_rules(role) for verb in rule["verbs"]
        }
        assert not any("*" in rule["resources"] + rule["apiGroups"] for rule in role_rules(role))
