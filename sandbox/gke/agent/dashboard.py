"""A stand-in for every Ray cluster's dashboard, asked by the Ray operator as its HTTP proxy.

A job runs at once and has succeeded after its next two polls. That of a queued RayJob, a training,
runs on until its submitter's pod has been ended, or without one the RayJob has the annotation that
ends pods. Of a Ray cluster that somebody runs for real the RayJob's annotation says how it ended.
Endpoints: KubeRay 1.4.2, ray-operator/controllers/ray/utils/dashboard_httpclient.go.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from sandbox.gke.agent.jobs import ENDS_AFTER
from sandbox.kube.kueue import queue_of
from sandbox.kube.objects import JsonObject, Ref, annotations_of, dig, name_of, namespace_of
from sandbox.live_kube.api import Api, ApiError, Kind

RAY_JOB: Kind = ("ray.io/v1", "RayJob")
_JOBS = "/api/jobs"
_POLLS = 2
# Of a RayCluster: somebody runs for real what it is given; and of its RayJobs, how that went, in
# Ray's words.
RUN = "ray.gke.sandbox/run"
OUTCOME = "ray.gke.sandbox/outcome"


class Dashboard:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._submitted: set[str] = set()
        self._polls: Counter[str] = Counter()
        self._stopped: set[str] = set()
        self._started: dict[str, int] = {}

    def respond(self, method: str, url: str, body: bytes) -> tuple[int, JsonObject | None]:
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
        if self._is_run(ray_job):
            return annotations_of(ray_job).get(OUTCOME, "RUNNING")
        return "RUNNING" if self._polls[job] <= _POLLS else "SUCCEEDED"

    def _is_run(self, ray_job: Mapping[str, Any]) -> bool:
        name = dig(ray_job, "status", "rayClusterName")
        if not name:
            return False
        ref = Ref(
            api_version=RAY_JOB[0],
            kind="RayCluster",
            namespace=namespace_of(ray_job),
            name=str(name),
        )
        found = self._api.get(ref)
        return found is not None and RUN in annotations_of(found)

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
