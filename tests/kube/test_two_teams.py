"""Work of two teams on one stack with a real control plane, by commands that their members call
with credentials of their own: submitted, in a queue, watched, resized and cancelled."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from aistack.exit_codes import ExitCode
from aistack.sandbox_stack import sandbox_stack
from kube.objects import Ref, dig, name_of
from sandbox.live_kube.api import Api
from tests.kube.command_line import aistack, running_pods, started
from tests.kube.conftest import PATIENCE_SECONDS, LiveSandbox, eventually
from tests.kube.kubelet import kubelet
from tests.kube.person import kubeconfig_of, token_with_role_of

STACK = "lab"
TEAMS = {"ada": "research", "eve": "serving"}
# Who are in no queue, and have a quota of their namespace for it.
GUEST, GUESTS = "bob", "guests"
ALL = {**TEAMS, GUEST: GUESTS}
ON_PODS = ("--image", "python:3.12-slim", "--cpu", "1", "--memory", "2")
Environment = Mapping[str, str]


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    users = (f"teams.{it}.users={{edit: [{who}@example.com]}}" for who, it in ALL.items())
    sandbox.succeed("up", *users, f"teams.{GUESTS}.quota={{pods: 1}}")
    return sandbox


@pytest.fixture(scope="module")
def people(
    live: LiveSandbox, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Environment]:
    """Each has a way into the cluster, and the stack's state, as on Google Cloud."""
    return {it: _person(live, tmp_path_factory.mktemp(it), it) for it in ALL}


def _person(live: LiveSandbox, folder: Path, name: str) -> Environment:
    token = token_with_role_of(live.plane, name, ALL[name])
    cluster = sandbox_stack(live.workspace.root, STACK).cluster_id
    kubeconfig = kubeconfig_of(live.plane, folder, cluster.context, {"token": token})
    own = {"KUBECONFIG": str(kubeconfig), "GOOGLE_PROJECT": cluster.project}
    return {**live.workspace.cli_environment, **own}


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "train.py"
    file.write_text("print('step 1')\n")
    return str(file)


def did(who: Environment, *words: str, code: int = ExitCode.FINE) -> Any:
    done = aistack(*words, "--json", "--stack", STACK, **who)
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return json.loads(done.stdout)


def seen(who: Environment) -> dict[str, dict[str, Any]]:
    return {it["name"]: it for it in did(who, "jobs")["jobs"]}


def state(who: Environment, name: str) -> str:
    return str(seen(who).get(name, {}).get("state", ""))


def test_each_team_submits_into_its_own_queue_and_sees_its_own_jobs(
    people: Mapping[str, Environment], script: str
) -> None:
    for who, team in TEAMS.items():
        pool = ("--pool", "l4", "--gpus", "1")
        submitted = did(
            people[who], "submit", script, "--name", f"of-{who}", "--team", team, *ON_PODS, *pool
        )
        job = submitted["job"]
        assert (job["namespace"], job["queue"], job["kind"]) == (team, team, "JobSet")
        assert submitted["hourly"].endswith(" USD")
    for who, other in (("ada", "eve"), ("eve", "ada")):
        assert f"of-{who}" in seen(people[who])
        assert {it["namespace"] for it in seen(people[who]).values()} == {TEAMS[who]}
        for verb in ("why", "events", "logs", "cancel"):
            name = f"of-{other}"
            done = aistack(verb, name, "--stack", STACK, **people[who])
            assert (done.stdout, done.returncode) == ("", ExitCode.NOT_FOUND), (verb, done)
    for who in TEAMS:
        assert "is stopped" in did(people[who], "cancel", f"of-{who}")["said"]
        eventually(lambda who=who: state(people[who], f"of-{who}"), lambda it: it == "")


def test_one_may_not_submit_into_the_other_team(
    people: Mapping[str, Environment], script: str
) -> None:
    words = ("submit", script, "--name", "guest", "--team", "serving", *ON_PODS, "--pool", "l4")
    done = aistack(*words, "--gpus", "1", "--stack", STACK, **people["ada"])
    assert (done.stdout, done.returncode) == ("", ExitCode.REFUSED)
    assert "is forbidden" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_others_of_the_team_have_is_told_and_waited_for(
    live: LiveSandbox, people: Mapping[str, Environment], script: str
) -> None:
    bob = people[GUEST]
    amounts = {"cpu": "100m", "memory": "128Mi"}
    container = {"name": "a", "image": "a:1", "resources": {"requests": amounts}}
    other = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "of-another", "namespace": GUESTS},
        "spec": {"containers": [container]},
    }
    quota = Ref(api_version="v1", kind="ResourceQuota", namespace=GUESTS, name="team")
    live.server.acting_as("kubectl").apply(other)
    eventually(
        lambda: dig(live.server.get(quota) or {}, "status", "used", "pods"), lambda it: it == "1"
    )
    words = ("--name", "waits", "--team", GUESTS, *ON_PODS)
    found = did(bob, "submit", script, *words)
    assert found["short_of"] == ["of the team's quota 0 of 1 pods are free, and its pods ask for 1"]
    eventually(
        lambda: aistack("why", "waits", "--stack", STACK, **bob),
        lambda it: "namespace's quota" in it.stdout and it.returncode == ExitCode.IN_THE_WAY,
    )
    live.server.delete(Ref.of(other))
    done = aistack("wait", "waits", "--stack", STACK, **bob)
    assert done.returncode == ExitCode.FINE, done.stderr
    did(bob, "cancel", "waits")


def test_a_job_is_watched_resized_and_cancelled_by_who_submitted_it(
    live: LiveSandbox, people: Mapping[str, Environment], script: str, tmp_path: Path
) -> None:
    """Of another number of pods Kueue lets it in anew, with what it then asks for."""
    ada = people["ada"]
    words = ("--name", "grows", "--team", "research", "--as", "job", *ON_PODS)
    assert did(ada, "submit", script, *words)["job"]["kind"] == "Job"
    (pod,) = running_pods(live.server, "grows")
    follow = ("logs", "grows", "--follow", "--stack", STACK)
    with started(*follow, **ada) as following:
        assert following.stdout is not None
        with kubelet(live.plane.kubeconfig, _made(tmp_path / "one"), [pod]) as nodes:
            nodes.say(name_of(pod), "alone")
            assert following.stdout.readline() == "alone\n"
        ref = Ref(api_version="batch/v1", kind="Job", namespace="research", name="grows")
        Api(Path(ada["KUBECONFIG"])).patch(
            live.server.get(ref) or {}, {"spec": {"parallelism": 2, "completions": 2}}
        )
        pods = eventually(
            lambda: running_pods(live.server, "grows", 2),
            lambda them: name_of(pod) not in map(name_of, them),
        )
        eventually(lambda: seen(ada)["grows"]["pods"], lambda it: it == 2)
        eventually(lambda: state(ada, "grows"), lambda it: it == "running")
        with kubelet(live.plane.kubeconfig, _made(tmp_path / "two"), pods) as nodes:
            for one in pods:
                nodes.say(name_of(one), f"of {name_of(one)}")
            said = {following.stdout.readline(), following.stdout.readline()}
            assert {it.rpartition("of ")[2].strip() for it in said} == set(map(name_of, pods))
            assert did(ada, "why", "grows")["sentence"] == "It runs, with 2 of 2 pods ready."
            did(ada, "cancel", "grows")
            assert following.wait(timeout=PATIENCE_SECONDS) == ExitCode.FINE
    eventually(lambda: state(ada, "grows"), lambda it: it == "")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
