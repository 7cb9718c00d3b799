"""A stand-in for every Ray cluster's dashboard, asked by the Ray operator as its HTTP proxy.

A job runs at once and has succeeded after its next two polls. That of a queued RayJob, a training,
runs on until its submitter's pod has been ended, or without one the RayJob has the annotation that
ends pods. A cluster that asks for a token is answered for to who brings it. Endpoints and the
header: KubeRay 1.6.2, ray-operator/controllers/ray/utils/dashboardclient/dashboard_httpclient.go.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from components.ray.manifest import TOKEN_KEY
from kube.objects import JsonObject, Ref, annotations_of, dig, name_of, namespace_of
from kube.ray import asks_for_token, token_secret
from sandbox.gke.agent.jobs import ENDS_AFTER
from sandbox.kube.kueue import queue_of
from sandbox.live_kube.api import Api, ApiError, Kind

RAY_JOB: Kind = ("ray.io/v1", "RayJob")
RAY_CLUSTER: Kind = ("ray.io/v1", "RayCluster")
_JOBS = "/api/jobs"
_POLLS = 2


class Dashboard:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._submitted: set[str] = set()
        self._polls: Counter[str] = Counter()
        self._stopped: set[str] = set()
        self._started: dict[str, int] = {}

    def respond(
        self, method: str, url: str, body: bytes, token: str
    ) -> tuple[int, JsonObject | None]:
        """`token` is what X-Ray-Authorization says, by which KubeRay brings a cluster's token."""
        if refused := self._refused(url, token):
            return refused, None
        path = urlsplit(url).path.rstrip("/")
        if not path.startswith(_JOBS):
            return 404, None
        job, _, verb = path.removeprefix(_JOBS).strip("/").partition("/")
        with self._lock:
            if method == "POST" and not job:
                return self._submit(json.loads(body or b"{}"))
            if method == "POST" and verb == "stop":
                self._stopped.add(job)
                return 200, {"stopped": True}
            if method == "DELETE":
                self._submitted.discard(job)
                return 200, {"deleted": True}
            return self._state(job)

    def _refused(self, url: str, token: str) -> int | None:
        """As Ray does: 401 without a token where the cluster asks for one, 403 with another."""
        host = urlsplit(url).hostname or ""
        service, _, rest = host.partition(".")
        namespace = rest.partition(".")[0]
        for ray in self._api.list(RAY_CLUSTER)[0]:
            there = (namespace_of(ray), dig(ray, "status", "head", "serviceName"))
            if there == (namespace, service):
                asked = token_of(self._api, ray)
                if asked is None or token == f"Bearer {asked}":
                    return None
                return 403 if token else 401
        return None

    def _submit(self, request: Mapping[str, Any]) -> tuple[int, JsonObject | None]:
        job = request.get("submission_id") or request.get("job_id") or ""
        self._submitted.add(job)
        return 200, {"job_id": job, "submission_id": job}

    def _state(self, job: str) -> tuple[int, JsonObject | None]:
        ray_job = self._ray_job(job)
        if ray_job is None or not self._is_submitted(job, ray_job):
            return 404, None
        self._polls[job] += 1
        now = int(time.time() * 1000)
        started = self._started.setdefault(job, now)
        status = self._status(job, ray_job)
        found = {"job_id": job, "submission_id": job, "type": "SUBMISSION", "status": status}
        found |= {"entrypoint": dig(ray_job, "spec", "entrypoint") or "", "message": ""}
        found |= {"start_time": started}
        return 200, found if status == "RUNNING" else {**found, "end_time": now}

    def _status(self, job: str, ray_job: Mapping[str, Any]) -> str:
        if job in self._stopped:
            return "STOPPED"
        if queue_of(ray_job):
            return "SUCCEEDED" if self._was_ended(ray_job) else "RUNNING"
        return "RUNNING" if self._polls[job] <= _POLLS else "SUCCEEDED"

    def _is_submitted(self, job: str, ray_job: Mapping[str, Any]) -> bool:
        """In HTTPMode the operator submits by itself; a status says that it has, however long ago
        the agent was started."""
        if dig(ray_job, "spec", "submissionMode") != "HTTPMode":
            return True
        return job in self._submitted or bool(dig(ray_job, "status", "jobStatus"))

    def _was_ended(self, ray_job: Mapping[str, Any]) -> bool:
        if ENDS_AFTER in annotations_of(ray_job):
            return True
        submitter = Ref(
            api_version="batch/v1",
            kind="Job",
            namespace=namespace_of(ray_job),
            name=name_of(ray_job),
        )
        return bool(dig(self._api.get(submitter), "status", "succeeded"))

    def _ray_job(self, job: str) -> JsonObject | None:
        try:
            found, _ = self._api.list(RAY_JOB)
        except ApiError:
            return None
        return next((each for each in found if dig(each, "status", "jobId") == job), None)


def token_of(api: Api, ray: JsonObject) -> str | None:
    """What a RayCluster asks for; None where it asks for nothing."""
    if not asks_for_token(ray["spec"]):
        return None
    name = token_secret(ray)
    if name is None:
        return "-"
    secret = api.get(Ref(api_version="v1", kind="Secret", namespace=namespace_of(ray), name=name))
    # Nobody has a token that is not there.
    return base64.b64decode(dig(secret, "data", TOKEN_KEY) or "").decode() or "-"
