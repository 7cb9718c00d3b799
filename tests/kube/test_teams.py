"""Teams that share a cluster, with the real API server: who may do what where, and how much.

It cannot show that GKE knows a Google group's members, nor that a network policy is enforced.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import Ref, dig
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api import Api
from sandbox.live_kube.api_server import ApiServer
from tests.conftest import recorded
from tests.kube.conftest import eventually
from tests.unit.quota_samples import FIRST, NAMESPACE, REFUSED, UNSPOKEN, Refused, objects, pod
from tests.unit.team_samples import ADA, AUDIT, TEAM, UNSAFE, VISION, make_team

OTHER = "audio"
ADDED = {"ada": (ADA.email, []), "of vision": ("ben@example.com", [VISION.email])}
EDITS = list(ADDED.values())
VIEWS = ("eve@example.com", [AUDIT.email])
STRANGER = ("mallory@example.com", ["others@example.com"])


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    made = ControlPlane(tmp_path_factory.mktemp("teams") / "plane")
    made.start()
    yield made
    made.remove()


@pytest.fixture(scope="module")
def server(plane: ControlPlane) -> ApiServer:
    """With a team as the component registers it, one beside it, and the namespaces of samples."""
    server = ApiServer(plane.kubeconfig)
    metadata = {"name": OTHER, "labels": {"gke-ai-stacks/team": OTHER}}
    server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    for one in recorded(make_team).resources:
        if one.type.startswith("kubernetes:"):
            server.apply(one.inputs)
    for obj in objects():
        server.apply(obj)
    for namespace in (TEAM.team, NAMESPACE, UNSPOKEN):
        account = Ref(api_version="v1", kind="ServiceAccount", namespace=namespace, name="default")
        quota = Ref(api_version="v1", kind="ResourceQuota", namespace=namespace, name="team")
        eventually(lambda ref=account: server.get(ref), bool)
        eventually(lambda ref=quota: dig(server.get(ref) or {}, "status", "hard"), bool)
    return server


def may(
    plane: ControlPlane,
    who: tuple[str, list[str]],
    verb: str,
    resource: str,
    namespace: str = TEAM.team,
) -> bool:
    """What `kubectl auth can-i` asks, for somebody else."""
    user, groups = who
    name, _, subresource = resource.partition("/")
    plural, _, group = name.partition(".")
    attributes = {
        "namespace": namespace,
        "verb": verb,
        "group": group,
        "resource": plural,
        "subresource": subresource,
    }
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "groups": groups, "resourceAttributes": attributes},
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(Api(plane.kubeconfig).call("POST", path, review)["status"]["allowed"])


@pytest.mark.parametrize("who", EDITS, ids=list(ADDED))
@pytest.mark.parametrize(
    ("verb", "resource"),
    [
        ("create", "pods"),
        ("create", "pods/exec"),
        ("get", "pods/log"),
        ("delete", "jobs.batch"),
        ("patch", "rayclusters.ray.io"),
        ("create", "rayjobs.ray.io"),
        ("create", "jobsets.jobset.x-k8s.io"),
        ("list", "localqueues.kueue.x-k8s.io"),
        ("watch", "workloads.kueue.x-k8s.io"),
        ("update", "secrets"),
    ],
)
def test_who_edits_works_in_the_teams_namespace_and_in_no_other(
    plane: ControlPlane, server: ApiServer, who: tuple[str, list[str]], verb: str, resource: str
) -> None:
    assert server
    assert may(plane, who, verb, resource)
    assert not may(plane, who, verb, resource, OTHER)
    assert not may(plane, who, verb, resource, "kube-system")


@pytest.mark.parametrize(
    ("verb", "resource"),
    [
        ("delete", "resourcequotas"),
        ("patch", "limitranges"),
        ("update", "networkpolicies.networking.k8s.io"),
        ("create", "rolebindings.rbac.authorization.k8s.io"),
        ("create", "localqueues.kueue.x-k8s.io"),
        ("impersonate", "serviceaccounts"),
        ("create", "serviceaccounts/token"),
        ("patch", "namespaces"),
    ],
)
def test_who_edits_cannot_change_what_bounds_the_team(
    plane: ControlPlane, server: ApiServer, verb: str, resource: str
) -> None:
    assert server
    assert not may(plane, EDITS[0], verb, resource)


def test_who_views_sees_all_but_secrets_and_changes_nothing(
    plane: ControlPlane, server: ApiServer
) -> None:
    assert server
    for resource in ("pods", "pods/log", "rayclusters.ray.io", "workloads.kueue.x-k8s.io"):
        assert may(plane, VIEWS, "get", resource)
        assert not may(plane, VIEWS, "get", resource, OTHER)
    assert not may(plane, VIEWS, "get", "secrets")
    assert not may(plane, VIEWS, "create", "pods/exec")
    assert not may(plane, VIEWS, "create", "jobs.batch")


def test_a_stranger_sees_nothing(plane: ControlPlane, server: ApiServer) -> None:
    assert server
    assert not may(plane, STRANGER, "get", "pods")
    assert not may(plane, STRANGER, "list", "rayclusters.ray.io")


def test_amounts_come_back_as_the_program_writes_them(server: ApiServer) -> None:
    for one in recorded(make_team).resources:
        if one.type.endswith((":ResourceQuota", ":LimitRange")):
            live = server.get(Ref.of(one.inputs))
            assert live is not None
            assert _said(one.inputs["spec"], live["spec"]) == one.inputs["spec"]


@pytest.mark.parametrize("name", UNSAFE)
def test_a_pod_that_asks_too_much_of_its_node_is_refused_in_the_words_of_the_in_memory_api(
    server: ApiServer, name: str
) -> None:
    parts, of_container, end = UNSAFE[name]
    unsafe = pod(name, FIRST, TEAM.team)
    unsafe["spec"] |= parts
    unsafe["spec"]["containers"][0] |= of_container
    with pytest.raises(KubeError) as caught:
        server.apply(unsafe)
    text = f'violates PodSecurity "baseline:latest": {end}'
    assert caught.value.message == f'pods "{name}" is forbidden: {text}'


def test_a_container_that_says_nothing_asks_for_the_teams_default(server: ApiServer) -> None:
    made = server.apply(pod("quiet", ({},), TEAM.team), dry_run=True)
    (container,) = made["spec"]["containers"]
    assert container["resources"]["requests"] == {"cpu": "100m", "memory": "256Mi"}


@pytest.mark.parametrize("refused", REFUSED, ids=lambda it: it.name)
def test_a_pod_over_quota_is_refused_with_what_it_asks_for_and_what_is_used(
    server: ApiServer, refused: Refused
) -> None:
    server.apply(pod("first", FIRST))
    with pytest.raises(KubeError) as caught:
        server.apply(pod(refused.name, refused.requests, refused.namespace))
    assert caught.value.message == refused.message
    assert caught.value.reason == "Forbidden"


def _said(wanted: Any, live: Any) -> Any:
    """What the live object has of the fields that the program sets."""
    if isinstance(wanted, dict):
        return {key: _said(value, live.get(key)) for key, value in wanted.items()}
    if isinstance(wanted, list):
        return [_said(a, b) for a, b in zip(wanted, live, strict=True)]
    return live
