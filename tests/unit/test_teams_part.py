"""Teams of a stack, as registered. What Kubernetes makes of it the tests of the sandbox show."""

from typing import Any

import pytest

from stacks.build import build
from tests.conftest import PROJECT_NUMBER, Recording, Register
from tests.programs import registered
from tests.unit.team_stack import planned

LATER = {"name": "later", "namespace": "audio", "cluster_queue": "gpus"}


def made(**values: Any) -> Recording:
    return registered(planned(**values))


@pytest.fixture(scope="module")
def lab() -> Recording:
    """The stack, built once: tests only look at it."""
    return made()


def test_a_team_has_a_namespace_of_its_name_with_its_level_of_security(lab: Recording) -> None:
    labels = lab.named("vision-namespace").inputs["metadata"]
    assert labels["name"] == "vision"
    assert labels["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    audio = lab.named("audio-namespace").inputs["metadata"]["labels"]
    assert audio["pod-security.kubernetes.io/enforce"] == "baseline"


def test_members_have_their_roles_and_find_the_cluster(lab: Recording) -> None:
    (group,) = lab.named("vision-edit-binding").inputs["subjects"]
    (user,) = lab.named("vision-view-binding").inputs["subjects"]
    assert (group["kind"], group["name"]) == ("Group", "vision@example.com")
    assert (user["kind"], user["name"]) == ("User", "ada@example.com")
    assert lab.children("members") == {
        "members-group:vision@example.com",
        "members-user:ada@example.com",
    }
    assert lab.named("gke-cluster").inputs["authenticatorGroupsConfig"] == {
        "securityGroup": "gke-security-groups@example.com"
    }


def test_a_stack_without_members_gives_nobody_a_way_in() -> None:
    alone = {"vision": {"queue": "gpus"}}
    assert "members" not in made(teams=alone).names()


def test_a_quota_is_written_in_kubernetes_units(lab: Recording) -> None:
    quotas = {it.name for it in lab.of_type(":ResourceQuota")}
    assert quotas == {"audio-quota", "audio-storage", "vision-storage"}
    assert lab.named("audio-quota").inputs["spec"]["hard"] == {
        "requests.cpu": "2500m",
        "requests.memory": "4Gi",
        "requests.nvidia.com/gpu": "1",
        "pods": "3",
    }


@pytest.mark.parametrize(
    ("share", "gpus"),
    [({}, "0"), ({"quota": {"pods": 3}}, "0"), ({"quota": {"gpus": 1}}, "1")],
)
def test_a_team_without_a_queue_has_of_what_queues_give_out_what_its_quota_says(
    share: dict[str, Any], gpus: str
) -> None:
    hard = made(teams__audio=share).named("audio-quota").inputs["spec"]["hard"]
    assert hard["requests.nvidia.com/gpu"] == gpus


def test_where_no_queue_gives_out_gpus_a_team_without_a_quota_has_no_bound() -> None:
    assert "audio-quota" not in made(teams={"audio": {}}, queues=None).names()


def test_a_quota_below_what_a_container_asks_by_default_lowers_that() -> None:
    recording = made(teams__audio__quota={"cpu": 0.05})
    (limit,) = recording.named("audio-defaults").inputs["spec"]["limits"]
    assert limit["defaultRequest"] == {"cpu": "50m"}


def test_work_of_a_team_that_names_no_queue_has_the_teams(lab: Recording) -> None:
    """Kueue gives it the one that is called so."""
    own, default = (lab.named(f"queues-local-queue-vision-{it}") for it in ("vision", "default"))
    assert default.inputs["metadata"]["name"] == "default"
    assert default.inputs["spec"] == own.inputs["spec"]


def test_the_policy_that_keeps_work_in_its_queue_holds_for_teams_with_one_alone(
    lab: Recording,
) -> None:
    """The team audio has a quota."""
    binding = lab.named("queues-guard-binding").inputs["spec"]
    (namespaces,) = binding["matchResources"]["namespaceSelector"]["matchExpressions"]
    assert namespaces["values"] == ["vision"]
    policy = lab.named("queues-guard-policy").inputs["metadata"]["name"]
    assert binding["policyName"] == policy
    without = made(teams__vision__queue=None, queues__local_queues=[LATER])
    assert "queues-guard-policy" not in without.names()


def bound(recording: Recording, what: str) -> list[str]:
    binding = recording.named(f"team-borders-{what}-binding").inputs["spec"]
    (chosen,) = binding["matchResources"]["namespaceSelector"]["matchExpressions"]
    policy = recording.named(f"team-borders-{what}-policy").inputs["metadata"]["name"]
    assert binding["policyName"] == policy == f"lab-team-{what}"
    return list(chosen["values"])


def test_no_team_publishes_a_service_but_one_that_the_config_lets(lab: Recording) -> None:
    assert bound(lab, "services") == ["vision", "audio"]
    assert bound(made(teams__vision__load_balancers=True), "services") == ["audio"]
    everybody = made(teams__vision__load_balancers=True, teams__audio__load_balancers=True)
    assert "team-borders-services-policy" not in everybody.names()


def test_others_reach_in_no_teams_name_what_it_does_not_reach(lab: Recording) -> None:
    assert bound(lab, "reach") == ["vision", "audio"]
    giving = made(teams__vision__load_balancers=True, teams__audio__load_balancers=True)
    assert bound(giving, "reach") == ["vision", "audio"]
    alone = made(teams={}, queues__local_queues=[{"name": "own", "cluster_queue": "gpus"}])
    assert "team-borders-reach-policy" not in alone.names()


CLASSES: dict[str, Any] = {
    "queues__priorities": [
        {"name": "usual", "value": 10, "default": True},
        {"name": "polite", "value": 10, "preempts": False},
        {"name": "pushing", "value": 1},
        {"name": "high", "value": 11, "preempts": False},
        {"name": "both", "value": 11},
    ],
    "queues__workload_priorities": [
        {"name": "later", "value": 10},
        {"name": "soon", "value": 11},
        {"name": "both", "value": 0},
    ],
}


def given(recording: Recording) -> str:
    variables = recording.named("team-borders-reach-policy").inputs["spec"]["variables"]
    return next(it["expression"] for it in variables if it["name"] == "given")


def test_work_of_a_team_names_the_priorities_that_it_was_given_and_those_of_everybody() -> None:
    """A name of both kinds is good for both."""
    everybodys = ["usual", "polite", "later"]
    lists = {"vision": ["soon", *everybodys], "audio": everybodys}
    made_so = made(**CLASSES, teams__vision__priorities=["soon"])
    assert given(made_so) == f"{lists}[?request.namespace].orValue([])"


def test_in_a_stack_without_classes_work_of_teams_names_none(lab: Recording) -> None:
    assert given(lab) == "[]"


def test_pods_that_mount_folders_of_their_node_are_judged_where_the_level_lets_them(
    lab: Recording,
) -> None:
    assert bound(lab, "pods") == ["vision"]
    assert "team-borders-pods-policy" not in made(teams__vision__pod_security="baseline").names()


def test_a_teams_namespace_is_there_only_while_its_policies_are(lab: Recording) -> None:
    needed = lab.waits_for("vision-namespace")
    policies = ("reach", "services", "pods")
    assert {f"team-borders-{it}-binding" for it in policies} <= needed


def test_a_team_has_the_storage_that_the_config_gives(lab: Recording) -> None:
    given = made(teams__audio__storage_gib=50)
    assert given.named("audio-storage").inputs["spec"]["hard"] == {"requests.storage": "50Gi"}
    assert lab.named("audio-storage").inputs["spec"]["hard"] == {"requests.storage": "0"}


def test_a_teams_queue_is_one_of_its_name_in_its_namespace_once_that_is_bounded(
    lab: Recording,
) -> None:
    assert lab.named("queues-local-queue-vision-vision").inputs["metadata"]["name"] == "vision"
    queues = lab.of_type(":LocalQueue")
    assert [it.inputs["metadata"]["namespace"] for it in queues] == ["vision", "vision"]
    assert queues[0].inputs["spec"] == {"clusterQueue": "gpus"}
    needed = lab.waits_for(queues[0].name)
    bounds = {"vision-access", "vision-defaults", "vision-storage"}
    assert {"vision-namespace", "queues-cluster-queue-gpus", *bounds} <= needed


def test_a_team_may_have_more_queues_in_its_namespace() -> None:
    recording = made(queues__local_queues=[LATER])
    queue = recording.named("queues-local-queue-audio-later")
    assert queue.inputs["metadata"]["namespace"] == "audio"
    assert "audio-quota" in recording.waits_for(queue.name)
    namespaces = [it.inputs["metadata"]["name"] for it in recording.of_type(":Namespace")]
    assert sorted(namespaces) == ["audio", "kueue-system", "platform", "vision"]


def test_a_cluster_queue_may_be_for_teams_alone() -> None:
    assert planned(queues__cluster_queues__gpus__namespaces=["vision"]).teams


def test_a_teams_pods_have_its_own_roles_on_its_buckets(lab: Recording) -> None:
    grants = {
        it.name: (it.inputs["role"], it.inputs["member"].rpartition("/subject/")[2])
        for it in lab.of_type(":BucketIAMMember")
    }
    assert grants["vision-data-grant"] == ("roles/storage.objectViewer", "ns/vision/sa/team")
    assert grants["vision-runs-grant"] == ("roles/storage.objectUser", "ns/vision/sa/team")
    assert not [it for it in grants if it.startswith("audio")]
    member = lab.named("vision-data-grant").inputs["member"]
    assert f"/projects/{PROJECT_NUMBER}/" in member
    assert "/my-project.svc.id.goog/" in member


def test_the_stack_says_whom_a_teams_pods_run_as(register: Register) -> None:
    said: dict[str, Any] = {}
    plan = planned()

    def program() -> None:
        found = build(plan, {})["team_service_accounts"]
        for team, account in found.items():
            account.apply(lambda it, team=team: said.setdefault(team, it))

    register(program, stack="lab")
    assert said == {"vision": "team", "audio": "trainer"}


def test_the_stack_says_who_is_in_each_team(register: Register) -> None:
    said: dict[str, str] = {}
    register(lambda: said.update(build(planned(), {})["teams"]), stack="lab")
    assert said.keys() == {"vision", "audio"}
    assert "edit ada@example.com" in said["audio"]


def test_a_stack_without_teams_says_nothing_of_them(register: Register) -> None:
    outputs: list[str] = []
    plan = planned(teams=None, queues=None)
    register(lambda: outputs.extend(build(plan, {})), stack="lab")
    assert outputs
    assert not {"team_service_accounts", "teams"}.intersection(outputs)


RAY = {
    "head": {"requests": {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 20}},
    "workers": {"gpu": {"requests": {"cpu": 2, "memory_gib": 8, "ephemeral_storage_gib": 20}}},
}


SCRIPT = {
    "type": "script",
    "command": ["true"],
    "image": "busybox:1",
    "requests": {"cpu": 1, "memory_gib": 1},
    "pool": "gpu",
}


@pytest.mark.parametrize("runs", [{"ray": {"first": RAY}}, {"jobs": {"first": SCRIPT}}])
@pytest.mark.parametrize("teams", [True, False])
def test_teams_do_not_reach_what_the_stack_itself_runs_on_ray_or_in_a_job_set(
    *, runs: dict[str, Any], teams: bool
) -> None:
    values: dict[str, Any] = {} if teams else {"teams": None, "queues": None}
    spec = made(**runs, **values).named("first-access").inputs["spec"]
    keys = [
        one["key"]
        for source in spec["ingress"][0]["from"]
        for one in source.get("namespaceSelector", {}).get("matchExpressions", [])
    ]
    # Also where the stack has none: the platform that it is on may.
    assert "gke-ai-stacks/team" in keys
