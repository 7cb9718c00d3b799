"""Runs on this machine what a Ray cluster of the sandbox is given, for the containers of its
control plane run nothing. What a job prints is given out as by Ray's job API, on the port of the
head's dashboard.

The control plane, KubeRay among it, is real, and is told here how a job ended.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from catalog.strict_yaml import load_yaml
from components.ray_manifest import LAUNCHER_DIR, launcher_config_map
from kube.objects import JsonObject, Ref, dig
from sandbox.gke.agent.dashboard import OUTCOME, RUN, token_of
from sandbox.live_kube.api import Api
from sandbox.live_kube.kubelet import kubelet
from tools.ray_log import RayLog

RAY = "ray.io/v1"
# Of a head (ray-project/kuberay v1.4.2 ray-operator/controllers/ray/utils/constant.go).
DASHBOARD_PORT = 8265
_AGAIN_SECONDS = 0.2
_PATIENCE_SECONDS = 120.0
_Seen = TypeVar("_Seen")


def as_it_is(words: Sequence[str]) -> Sequence[str]:
    return words


@dataclass(frozen=True, kw_only=True)
class RayHere:
    """`prefix` is a program with its arguments that runs a command beside a Ray of its own, and
    `variables` are that command's; `moved` puts what is here in place of what a pod would have."""

    kubeconfig: Path
    cluster: str
    folder: Path
    prefix: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    moved: Callable[[Sequence[str]], Sequence[str]] = as_it_is
    namespace: str = "default"

    def take_over(self) -> None:
        """From now on nobody else says how jobs of the cluster end."""
        self._annotate(self._ref("RayCluster", self.cluster), {RUN: "here"})

    @contextmanager
    def running(self, name: str) -> Iterator[Future[bool]]:
        """The RayJob, once KubeRay has submitted it; whether it ends well. Its log can be read
        within."""
        job = _until(lambda: self._submitted(name))
        log = RayLog(job, token_of(self._api, self._got(self._ref("RayCluster", self.cluster))))
        own = self.folder / name
        launcher = own / "launcher"
        launcher.mkdir(parents=True)
        for file, text in self._files().items():
            (launcher / file).write_text(
                text.replace(LAUNCHER_DIR, str(launcher)), encoding="utf-8"
            )
        with (
            kubelet(self.kubeconfig, own / "nodes", ports={DASHBOARD_PORT: log.port}),
            ThreadPoolExecutor(1) as thread,
        ):
            yield thread.submit(self._run, name, log, launcher)
        log.shutdown()

    def _run(self, name: str, log: RayLog, launcher: Path) -> bool:
        fine = self._said(name, log, launcher) == 0
        log.end()
        self._annotate(self._ref("RayJob", name), {OUTCOME: "SUCCEEDED" if fine else "FAILED"})
        _until(lambda: self._has_ended(name))
        return fine

    def _said(self, name: str, log: RayLog, launcher: Path) -> int:
        """The exit code; each line is in the log as soon as it is printed."""
        spec = self._got(self._ref("RayJob", name))["spec"]
        words = self.moved(shlex.split(spec["entrypoint"]))
        with subprocess.Popen(
            [*self.prefix, *(it.replace(LAUNCHER_DIR, str(launcher)) for it in words)],
            env={**os.environ, "PYTHONUNBUFFERED": "1", **variables(spec), **self.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                log.say(line)
        return process.returncode

    def _submitted(self, name: str) -> str | None:
        """Its id with Ray, once it runs."""
        status = dig(self._got(self._ref("RayJob", name)), "status") or {}
        return status.get("jobId") if status.get("jobStatus") == "RUNNING" else None

    def _files(self) -> Mapping[str, str]:
        """Those that the head has."""
        name = launcher_config_map(self.cluster)
        ref = Ref(api_version="v1", kind="ConfigMap", namespace=self.namespace, name=name)
        return self._got(ref).get("data") or {}

    def _has_ended(self, name: str) -> bool:
        state = dig(self._api.get(self._ref("RayJob", name)), "status", "jobDeploymentStatus")
        return state in ("Complete", "Failed")

    def _annotate(self, ref: Ref, annotations: Mapping[str, str]) -> None:
        self._api.patch(self._got(ref), {"metadata": {"annotations": dict(annotations)}})

    def _got(self, ref: Ref) -> JsonObject:
        found = self._api.get(ref)
        if found is None:
            raise LookupError(f"{ref.kind} {ref.name} is gone")
        return found

    def _ref(self, kind: str, name: str) -> Ref:
        return Ref(api_version=RAY, kind=kind, namespace=self.namespace, name=name)

    @cached_property
    def _api(self) -> Api:
        return Api(self.kubeconfig)


def variables(spec: Mapping[str, Any]) -> Mapping[str, str]:
    """Of a RayJob's command."""
    return _environment(spec).get("env_vars") or {}


def packages(spec: Mapping[str, Any]) -> Sequence[str]:
    """What Ray would install for it."""
    return _environment(spec).get("pip") or ()


def _environment(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    return load_yaml(spec.get("runtimeEnvYAML") or "") or {}


def _until(look: Callable[[], _Seen | None]) -> _Seen:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not (seen := look()):
        if time.monotonic() > until:
            raise TimeoutError("the control plane does not go on with the job")
        time.sleep(_AGAIN_SECONDS)
    return seen
