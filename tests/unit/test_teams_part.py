"""Teams of a stack, as registered. What Kubernetes makes of it the tests of the sandbox show."""

from typing import Any

import pytest

from tests.conftest import Recording
from tests.programs import registered
from tests.unit.team_stack import planned

LATER = {"name": "later", "namespace": "audio", "cluster_queue": "gpus"}


def made(**values: Any) -> Recording:
    return registered(planned(**values))


@pytest.fixture(scope="module")
def lab() -> Recording:
    """The stack, built once: tests only look at it."""
    return made()


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


def test_the_policies_hold_for_those_that_the_config_does_not_let() -> None:
    """What a team does not reach it lets nobody else say in its name, whatever it publishes."""
    everybody = made(teams__vision__load_balancers=True, teams__audio__load_balancers=True).names()
    assert "team-borders-services-policy" not in everybody
    assert "team-borders-reach-policy" in everybody
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


def test_a_teams_namespace_is_there_only_while_its_policies_are(lab: Recording) -> None:
    needed = lab.waits_for("vision-namespace")
    policies = ("reach", "services", "pods")
    assert {f"team-borders-{it}-binding" for it in policies} <= needed


def test_a_queue_in_a_teams_namespace_waits_for_its_bounds(lab: Recording) -> None:
    bounds = {"vision-access", "vision-defaults", "vision-storage"}
    needed = lab.waits_for("queues-local-queue-vision-vision")
    assert {"vision-namespace", "queues-cluster-queue-gpus", *bounds} <= needed
    more = made(queues__local_queues=[LATER])
    assert "audio-quota" in more.waits_for("queues-local-queue-audio-later")


def test_a_cluster_queue_may_be_for_teams_alone() -> None:
    assert planned(queues__cluster_queues__gpus__namespaces=["vision"]).teams
