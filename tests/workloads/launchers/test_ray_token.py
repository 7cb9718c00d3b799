"""A real Ray head that asks for a token answers our own clients with it, and nobody without."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import urllib3

from aistack.errors import ForbiddenError, VerbError
from aistack.find import Found
from aistack.ray_job_log import RayJobLog
from kube.kinds import RAY_JOB
from tests.workloads.launchers.ray_head import BIN, Head

JOB = "job-of-a-test"
_ALIVE = "import resume; print('nodes', resume.alive_nodes())"


@pytest.fixture(scope="module")
def head(ray_head: Head) -> Head:
    """With a job that has run."""
    done = ray_head.run(*_submission(ray_head), token=ray_head.token)
    assert done.returncode == 0, done.stdout + done.stderr
    return ray_head


def _submission(head: Head, job: str = JOB) -> list[str]:
    where = [f"--address={head.url}", f"--submission-id={job}"]
    return [str(BIN / "ray"), "job", "submit", *where, "--", "echo", "trained"]


def log_of(head: Head, token: str | None) -> RayJobLog:
    metadata = {"name": "train", "namespace": "default", "uid": "1"}
    obj = {
        "metadata": {**metadata, "creationTimestamp": "2026-11-23T12:00:00Z"},
        "spec": {"submissionMode": "HTTPMode"},
        "status": {"jobId": JOB, "jobStatus": "SUCCEEDED"},
    }
    return RayJobLog(Found(RAY_JOB, obj), lambda: f"127.0.0.1:{head.port}", lambda: token)


def never(error: VerbError) -> None:
    raise AssertionError(str(error))


def test_aistack_reads_and_follows_a_log_with_the_token_and_is_refused_without(head: Head) -> None:
    log = log_of(head, head.token)
    assert "trained" in [it.text for it in log.lines(tail=None)]
    assert "trained" in [it.text for it in log.followed(tail=None, lost=never)]
    for token in (None, "another"):
        with pytest.raises(ForbiddenError, match="refuses the token of train"):
            list(log_of(head, token).lines(tail=None))
        with pytest.raises(ForbiddenError, match="refuses the token of train"):
            list(log_of(head, token).followed(tail=None, lost=never))


def test_the_script_that_runs_a_training_again_has_the_token_of_its_pod(head: Head) -> None:
    """The head is left out of what it counts, so there are no nodes; None is no answer."""
    python = [str(BIN / "python"), "-c", _ALIVE]
    assert head.run(*python, token=head.token).stdout.endswith("nodes {}\n")
    for token in (None, "another"):
        assert head.run(*python, token=token).stdout.endswith("nodes None\n")


def test_who_has_no_token_starts_nothing(head: Head) -> None:
    for token in (None, "another"):
        assert head.run(*_submission(head, "theirs"), token=token).returncode != 0
    brought = {"X-Ray-Authorization": f"Bearer {head.token}"}
    assert head.status("GET", "/api/jobs/theirs", brought) == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/jobs/"),
        ("POST", "/api/jobs/"),
        ("POST", f"/api/jobs/{JOB}/stop"),
        ("DELETE", f"/api/jobs/{JOB}"),
        ("GET", "/api/actors/kill?actor_id=1"),
        ("PUT", "/api/serve/applications/"),
        ("GET", "/nodes?view=summary"),
    ],
)
def test_every_path_but_that_of_probes_asks_for_the_token(
    head: Head, method: str, path: str
) -> None:
    assert head.status(method, path, {}) == 401
    assert head.status(method, path, {"X-Ray-Authorization": "Bearer another"}) == 403
    assert head.status("GET", "/api/gcs_healthz", {}) == 200


def test_the_store_of_the_cluster_asks_for_the_token_too(head: Head) -> None:
    asked = (
        "from ray._raylet import GcsClient; "
        f"print('nodes', len(GcsClient(address='127.0.0.1:{head.gcs}').get_all_node_info()))"
    )
    python = [str(BIN / "python"), "-c", asked]
    assert head.run(*python, token=head.token).stdout.endswith("nodes 1\n")
    for token in (None, "another"):
        assert "InvalidAuthToken" in head.run(*python, token=token).stderr


class _Astray(BaseHTTPRequestHandler):
    """A head that sends whoever asks to another one, as a member's own may."""

    target = ""

    def do_POST(self) -> None:
        self.send_response(307)
        self.send_header("Location", self.target)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what it would print is nobody's concern."""


def test_who_is_sent_on_by_another_head_brings_that_ones_token_and_is_refused(head: Head) -> None:
    """KubeRay's operator sends a header of Ray's own, which goes along with a redirect (Go's
    http.Client takes away Authorization and Cookie alone; urllib3 likewise)."""
    _Astray.target = f"{head.url}/api/jobs/{JOB}/stop"
    server = HTTPServer(("127.0.0.1", 0), _Astray)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    theirs = f"http://localhost:{server.server_address[1]}/"
    brought = {"X-Ray-Authorization": "Bearer of-a-team"}
    assert urllib3.request("POST", theirs, headers=brought).status == 403
    assert urllib3.request("POST", theirs).status == 401
    server.shutdown()
    server.server_close()
