"""Two teams on a real API server, with the roles that the program gives: whose jobs who sees and
reads, enters and stops by the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import pytest

from aistack.exit_codes import ExitCode
from components.base.members import MemberArgs
from kube.objects import JsonObject, Ref, dig, name_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api_server import ApiServer
from tests.conftest import recorded
from tests.kube.command_line import aistack, submit
from tests.kube.conftest import eventually
from tests.kube.kubelet import kubelet
from tests.kube.person import NODE, administrator, person
from tests.unit.team_samples import TEAM, make_team

OURS, THEIRS = TEAM.team, "audio"
NAMESPACES = (OURS, THEIRS)
ROLES: Mapping[str, Literal["edit", "view"]] = {"ada": "edit", "eve": "view"}
Environment = Mapping[str, str]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """Ada works in the first team and Eve looks on; a job runs in each."""
    made = ControlPlane(tmp_path_factory.mktemp("teams") / "plane")
    made.start()
    server = ApiServer(made.kubeconfig)
    server.apply(NODE)
    server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": THEIRS}})
    members = [MemberArgs(email=_email(it), kind="user", role=ROLES[it]) for it in ROLES]
    for one in recorded(lambda: make_team(members=members)).resources:
        if one.type.startswith("kubernetes:"):
            server.apply(_with_accounts(one.inputs))
    quota = Ref(api_version="v1", kind="ResourceQuota", namespace=OURS, name="team")
    eventually(lambda: dig(server.get(quota) or {}, "status", "hard"), bool)
    submit(server, "ours", namespace=OURS)
    submit(server, "theirs", namespace=THEIRS)
    yield made
    made.remove()


def _email(name: str) -> str:
    return f"{name}@example.com"


def _with_accounts(obj: JsonObject) -> JsonObject:
    """Nobody here says who has an e-mail, as GKE does: service accounts stand in for people."""
    text = json.dumps(obj)
    for name in ROLES:
        text = text.replace(_email(name), f"system:serviceaccount:default:{name}")
    return json.loads(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("people")


@pytest.fixture(scope="module")
def people(plane: ControlPlane, folder: Path) -> Mapping[str, Environment]:
    made = {it: person(plane, folder / it, NAMESPACES, it) for it in (*ROLES, "mallory")}
    return {**made, "admin": administrator(plane, folder / "admin", NAMESPACES)}


@pytest.mark.parametrize("name", ROLES)
def test_a_member_sees_the_jobs_of_the_team_alone(
    people: Mapping[str, Environment], name: str
) -> None:
    found = json.loads(aistack("jobs", "--json", **people[name]).stdout)
    assert "ours" in [it["name"] for it in found["jobs"]]
    assert {it["namespace"] for it in found["jobs"]} == {OURS}
    assert found["hidden"] == [THEIRS]
    assert f"jobs in {THEIRS} are not yours to see" in aistack("jobs", **people[name]).stdout


def test_who_owns_the_cluster_sees_all(people: Mapping[str, Environment]) -> None:
    found = json.loads(aistack("jobs", "--json", **people["admin"]).stdout)
    assert {"ours", "theirs"} <= {it["name"] for it in found["jobs"]}
    assert found["hidden"] == []


def test_a_stranger_sees_nothing(people: Mapping[str, Environment]) -> None:
    done = aistack("jobs", **people["mallory"])
    assert (done.stdout, done.returncode) == ("", ExitCode.REFUSED)
    assert "is forbidden" in done.stderr


@pytest.mark.parametrize("verb", ["why", "events", "logs", "shell", "cancel"])
@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ("theirs", ExitCode.NOT_FOUND, 'NAME: "theirs": there is no such job; nearest: '),
        (f"{THEIRS}/theirs", ExitCode.REFUSED, "is forbidden"),
    ],
)
def test_the_other_teams_job_is_not_there(
    people: Mapping[str, Environment], verb: str, asked: str, code: ExitCode, said: str
) -> None:
    done = aistack(verb, asked, **people["ada"])
    assert (done.stdout, done.returncode) == ("", code)
    assert said in done.stderr


def test_a_member_who_edits_reads_enters_and_stops_the_teams_job(
    plane: ControlPlane, people: Mapping[str, Environment], tmp_path: Path
) -> None:
    server = ApiServer(plane.kubeconfig)
    (pod,) = submit(server, "shared", namespace=OURS)
    with kubelet(plane.kubeconfig, tmp_path, [pod]) as nodes:
        nodes.say(name_of(pod), "step 0")
        assert aistack("logs", "shared", **people["ada"]).stdout == "step 0\n"
        entered = aistack("shell", "shared", "--", "pwd", **people["ada"])
        assert entered.stdout == f"{nodes.folder}\n", entered.stderr
    stopped = aistack("cancel", "shared", **people["ada"])
    assert stopped.returncode == ExitCode.FINE, stopped.stderr
    job = Ref(api_version="batch/v1", kind="Job", namespace=OURS, name="shared")
    eventually(lambda: server.get(job), lambda it: it is None)


def test_a_member_who_views_reads_and_neither_enters_nor_stops(
    plane: ControlPlane, people: Mapping[str, Environment], tmp_path: Path
) -> None:
    server = ApiServer(plane.kubeconfig)
    (pod,) = submit(server, "watched", namespace=OURS)
    with kubelet(plane.kubeconfig, tmp_path, [pod]) as nodes:
        nodes.say(name_of(pod), "step 0")
        assert aistack("logs", "watched", **people["eve"]).stdout == "step 0\n"
        for words in (["shell", "watched", "--", "pwd"], ["cancel", "watched"]):
            done = aistack(*words, **people["eve"])
            assert (done.stdout, done.returncode) == ("", ExitCode.REFUSED)
            assert "is forbidden" in done.stderr
    job = Ref(api_version="batch/v1", kind="Job", namespace=OURS, name="watched")
    assert dig(server.get(job), "metadata", "deletionTimestamp") is None
