"""Who reaches the pods of a team, by all policies together; that Dataplane V2 enforces them no test
here can prove."""

from typing import Any

import pytest

from components.inference_manifest import access_spec, server_selector
from components.job_set_manifest import job_set_access_spec
from components.ray_cluster_manifest import ray_access_spec
from components.ray_manifest import CLUSTER_LABEL
from components.team import TEAM_LABEL, team_access_spec
from sandbox.kube.objects import JsonObject, matches_labels

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
    ("own", "open_to_teams", "pod"),
    [
        (
            ray_access_spec("ray", "vision", in_team=True),
            ray_access_spec("ray", "vision"),
            RAY,
        ),
        (
            job_set_access_spec("train", "vision", in_team=True),
            job_set_access_spec("train", "vision"),
            job_set_access_spec("train", "vision")["podSelector"]["matchLabels"],
        ),
        (access_spec("chat", "vision", in_team=True), access_spec("chat", "vision"), SERVER),
    ],
    ids=["ray", "job-set", "server"],
)
def test_a_workloads_own_policy_lets_other_teams_in_unless_it_knows_of_teams(
    own: JsonObject, open_to_teams: JsonObject, pod: dict[str, str]
) -> None:
    together = [team_access_spec(), own]
    assert not reaches(together, pod, AUDIO)
    assert reaches(together, pod, GKES)
    assert not reaches(together, pod, DEFAULT)
    assert reaches([team_access_spec(), open_to_teams], pod, AUDIO)
