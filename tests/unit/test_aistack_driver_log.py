"""What a RayJob's command prints is read from Ray's job API, here of a server that speaks as Ray
2.56.0 does: python/ray/dashboard/modules/job/job_head.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aistack.errors import LostError, MissingError, VerbError
from aistack.find import Found
from aistack.kinds import JOB_SET, RAY_JOB
from aistack.logs import Wanted
from aistack.ray_job_log import RayJobLog
from tools.ray_log import RayLog

ID = "train-x7k2p"


@pytest.fixture
def ray() -> Iterator[RayLog]:
    server = RayLog(ID)
    server.say("epoch 1\nepoch 2\n")
    yield server
    server.shutdown()


def found(status: str = "RUNNING", mode: str = "HTTPMode") -> Found:
    metadata = {"name": "train", "namespace": "default", "uid": "1"}
    obj = {
        "metadata": {**metadata, "creationTimestamp": "2026-11-23T12:00:00Z"},
        "spec": {"submissionMode": mode},
        "status": {"jobId": ID, "jobStatus": status},
    }
    return Found(RAY_JOB, obj)


def address(ray: RayLog) -> str:
    return f"127.0.0.1:{ray.port}"


def log_of(ray: RayLog) -> RayJobLog:
    return RayJobLog(found(), lambda: address(ray))


def never(error: VerbError) -> None:
    raise AssertionError(str(error))


def texts(log: RayJobLog, tail: int | None = None) -> list[str]:
    return [it.text for it in log.lines(tail=tail)]


def test_all_that_was_printed_is_shown_or_its_end(ray: RayLog) -> None:
    assert texts(log_of(ray)) == ["epoch 1", "epoch 2"]
    assert texts(log_of(ray), tail=1) == ["epoch 2"]


def test_what_is_printed_is_followed_line_by_line_to_the_end_of_the_job(ray: RayLog) -> None:
    followed = log_of(ray).followed(tail=None, lost=never)
    assert [next(followed).text for _ in range(2)] == ["epoch 1", "epoch 2"]
    ray.say("epo")
    ray.say("ch 3\nepoch")
    assert next(followed).text == "epoch 3"
    ray.say(" 4")
    ray.end()
    assert [it.text for it in followed] == ["epoch 4"]


def test_a_follower_of_the_last_lines_sees_what_comes_after_them_once(ray: RayLog) -> None:
    followed = log_of(ray).followed(tail=1, lost=never)
    assert next(followed).text == "epoch 2"
    ray.say("epoch 3\n")
    ray.end()
    assert [it.text for it in followed] == ["epoch 3"]


def test_a_lost_connection_is_taken_up_where_it_broke(ray: RayLog) -> None:
    told: list[VerbError] = []
    followed = log_of(ray).followed(tail=None, lost=told.append)
    assert next(followed).text == "epoch 1"
    ray.say("half")
    ray.break_off()
    ray.say(" a line\n")
    ray.end()
    assert [it.text for it in followed] == ["epoch 2", "half a line"]
    assert [type(it) for it in told] == [LostError]


def test_a_job_that_ray_forgot_is_said_and_followed_no_more(ray: RayLog) -> None:
    ray.job = "another"
    with pytest.raises(MissingError, match="Ray knows nothing of train any more"):
        texts(log_of(ray))
    assert list(log_of(ray).followed(tail=None, lost=never)) == []


def test_a_dashboard_that_is_away_is_said() -> None:
    with pytest.raises(LostError, match="does not answer"):
        texts(RayJobLog(found(), lambda: "127.0.0.1:1"))


@pytest.mark.parametrize("status", ["", "PENDING"])
def test_a_command_that_has_not_begun_has_printed_nothing(ray: RayLog, status: str) -> None:
    assert not RayJobLog(found(status), lambda: address(ray)).has_begun


@pytest.mark.parametrize(
    ("job", "role"),
    [
        (found(), "driver"),
        (found(mode="K8sJobMode"), "launcher"),
        (Found(JOB_SET, {"spec": {}}), "all"),
    ],
)
def test_by_default_those_speak_who_know_what_a_job_prints(job: Found, role: str) -> None:
    assert Wanted().role(job) == role
