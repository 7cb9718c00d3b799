"""Who reaches the pods of a team, by all policies together; that Dataplane V2 enforces them no test
here can prove."""

from typing import Any

import pytest

from components.jobs.job_set_manifest import job_set_access_spec
from components.ray.cluster_manifest import ray_access_spec
from components.ray.manifest import CLUSTER_LABEL
from components.servers.manifest import access_spec, server_selector
from components.teams.team import TEAM_LABEL, team_access_spec
from kube.objects import JsonObject, matches_labels

NAME = "kubernetes.io/metadata.name"
VISION = {NAME: "vision", TEAM_LABEL: "vision"}
AUDIO = {NAME: "audio", TEAM_LABEL: "audio"}
GKES = {NAME: "gmp-system"}
DEFAULT = {NAME: "default"}
RAY = {CLUSTER_LABEL: "ray"}
SERVER = server_selector("chat")


def reaches(policies: list[JsonObject], pod: dict[str, str], namespace: dict[str, str]) -> bool:
    """Whether a pod without labels in a namespace reaches a pod of the team `vision`: policies that
    select one add up, and none selects nobody."""
    chosen = [policy for policy in policies if matches_labels(policy["podSelector"], pod)]
    sources = [source for each in chosen for rule in each["ingress"] for source in rule["from"]]
    return not chosen or any(_lets_in(source, namespace) for source in sources)


def _lets_in(source: dict[str, Any], namespace: dict[str, str]) -> bool:
    if "namespaceSelector" in source:
        return matches_labels(source["namespaceSelector"], namespace)
    return "podSelector" in source and namespace == VISION and source["podSelector"] == {}


@pytest.mark.parametrize(
    ("namespace", "reached"), [(VISION, True), (AUDIO, False), (DEFAULT, False), (GKES, True)]
)
def test_a_teams_pods_reach_each_other_and_gke_reaches_them(
    namespace: dict[str, str], reached: bool
) -> None:
    assert reaches([team_access_spec()], {"app": "any"}, namespace) is reached


@pytest.mark.parametrize(
    ("own", "pod"),
    [
        (ray_access_spec("ray", "vision", operator_is_pod=False), RAY),
        (ray_access_spec("ray", "vision", operator_is_pod=True), RAY),
        (
            job_set_access_spec("train", "vision"),
            job_set_access_spec("train", "vision")["podSelector"]["matchLabels"],
        ),
    ],
    ids=["ray", "ray-of-a-chart", "job-set"],
)
def test_a_workloads_own_policy_lets_no_other_team_in(own: JsonObject, pod: dict[str, str]) -> None:
    """Nor does it where the workload's stack has no teams: the platform that it is on may have."""
    for together in ([team_access_spec(), own], [own]):
        assert not reaches(together, pod, AUDIO)
        assert reaches(together, pod, GKES)
        assert not reaches(together, pod, DEFAULT)


def test_a_model_server_is_for_teams() -> None:
    assert reaches([access_spec("chat", "llm")], SERVER, AUDIO)
    assert not reaches([access_spec("chat", "llm")], SERVER, DEFAULT)
    # Policies of one pod add up: a namespace's own closes nothing that another opens.
    assert reaches([team_access_spec(), access_spec("chat", "vision")], SERVER, AUDIO)
