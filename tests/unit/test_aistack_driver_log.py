"""What a RayJob's command prints is read from Ray's job API, here of a server that speaks as Ray
2.56.0 does: python/ray/dashboard/modules/job/job_head.py."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from aistack.errors import LostError, MissingError, VerbError
from aistack.find import Found
from aistack.logs import Wanted
from aistack.ray_job_log import RayJobLog
from aistack.why.look import look
from kube.kinds import JOB_SET, RAY_JOB
from tests.ray_log import RayLog
from tests.unit.test_hand_over import Answering

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


class _Lying(ThreadingHTTPServer):
    """A head that answers whatever it is asked with `status` and `body`, and remembers who asked
    for what."""

    daemon_threads = True

    def __init__(self, status: int, body: bytes, location: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.status, self.body, self.location = status, body, location
        self.asked: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        head = self.server
        assert isinstance(head, _Lying)
        head.asked.append(self.path)
        self.send_response(head.status)
        if head.location:
            self.send_header("Location", head.location)
        self.send_header("Content-Length", str(len(head.body)))
        self.end_headers()
        self.wfile.write(head.body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what it would print is nobody's concern."""


def test_why_reads_what_a_driver_prints(ray: RayLog, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def of(cluster: object, job: Found, seconds: float) -> RayJobLog:
        asked.append(seconds)
        return RayJobLog(job, lambda: address(ray), seconds=seconds)

    monkeypatch.setattr(RayJobLog, "of", of)
    ray.say("2026-11-23 12:00:01,100 INFO epoch 3\n")
    shot = look(Answering(), found())
    assert list(shot.logs["driver"]) == [
        "epoch 1",
        "epoch 2",
        "2026-11-23 12:00:01,100 INFO epoch 3",
    ]
    assert [f"{it:%H:%M:%S}" for it in shot.line_times["driver"]] == ["12:00:01"]
    look(Answering(), found(mode="K8sJobMode"))
    look(Answering(), found(status="SUCCEEDED"))
    assert len(asked) == 1, "a launcher repeats it, and what has ended is not silent"


def test_why_does_without_a_driver_whom_nobody_can_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(cluster: object, job: Found, seconds: float) -> RayJobLog:
        return RayJobLog(job, lambda: "127.0.0.1:1", seconds=seconds)

    monkeypatch.setattr(RayJobLog, "of", of)
    assert look(Answering(), found()).logs == {}


def _stop(error: VerbError) -> None:
    raise EOFError(str(error))


def test_a_head_does_not_choose_whom_the_users_machine_asks() -> None:
    other = _Lying(200, b"")
    for scheme in ("http", "ws"):
        head = _Lying(302, b"", f"{scheme}://{other.address}/here")
        log = RayJobLog(found(), lambda head=head: head.address, lambda: "token-of-a-test")
        with pytest.raises(VerbError, match="no dashboard of Ray's: HTTP 302"):
            texts(log)
        # Who follows is told, and asks the same head again.
        with pytest.raises(EOFError):
            next(log.followed(tail=None, lost=_stop))
        assert len(head.asked) == 2
        head.shutdown()
    assert other.asked == []
    other.shutdown()


def test_what_has_no_end_is_read_to_none(monkeypatch: pytest.MonkeyPatch) -> None:
    head = _Lying(200, b'{"logs": "' + b"x" * 10_000 + b'"}')
    log = RayJobLog(found(), lambda: head.address)
    assert texts(log) == ["x" * 10_000]
    for name, value in (("_MOST_BYTES", 5_000), ("_SLOWNESS", -1)):
        with monkeypatch.context() as patch:
            patch.setattr(f"aistack.ray_job_log.{name}", value)
            with pytest.raises(VerbError, match=r"does not come to an end.*--rank all"):
                texts(log)
    head.shutdown()


def test_a_message_without_an_end_ends_the_log_before_it_is_held(
    ray: RayLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray.say("x" * 10_000)
    monkeypatch.setattr("aistack.bounded_socket.MOST_BYTES", 5_000)
    with pytest.raises(VerbError, match=r"train sends a message without an end; .*--rank all"):
        list(log_of(ray).followed(tail=None, lost=never))


def test_a_line_without_an_end_is_shown_in_parts(
    ray: RayLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aistack.ray_job_log._LONGEST_LINE", 5)
    ray.say("x" * 10)
    ray.say("y\n")
    ray.end()
    lines = [it.text for it in log_of(ray).followed(tail=None, lost=never)]
    assert lines == ["epoch 1", "epoch 2", "x" * 10, "y"]


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'"text"', b'{"log": "epoch 1"}', b"[" * 100_000]
)
def test_what_is_no_log_of_rays_is_said_in_a_line(body: bytes) -> None:
    head = _Lying(200, body)
    with pytest.raises(VerbError, match="what it answers is no log of Ray's; nearest: --rank all"):
        texts(RayJobLog(found(), lambda: head.address))
    head.shutdown()


def test_the_id_of_a_job_is_one_name_whatever_text_it_is() -> None:
    head = _Lying(404, b"")
    job = found()
    job.obj["status"]["jobId"] = "../../nodes?view=\r\nx: y#"
    with pytest.raises(MissingError):
        texts(RayJobLog(job, lambda: head.address))
    assert head.asked == ["/api/jobs/..%2F..%2Fnodes%3Fview%3D%0D%0Ax%3A%20y%23/logs"]
    head.shutdown()


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
