"""What `make bench` measures of the command line for work on a stack: many pods, and many jobs."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aistack.cluster import Cluster
from aistack.sandbox_stack import sandbox_stack
from bench.measure import ROUNDS
from cli.kube_mode import KubeMode
from cli.project import PROJECT_FOLDER
from kube.kinds import JOB, NODE, POD, Kind
from sandbox.forget import forget
from sandbox.workspace import Workspace

# It has more resources than the 80 of which the promise is.
STACK = "lab"
PODS, JOBS = 500, 2000
_PER_NODE, _AT_ONCE = 100, 16
_NAMESPACE = "default"
_GPU = {"limits": {"nvidia.com/gpu": "1"}}
_TEMPLATE = {
    "restartPolicy": "Never",
    "containers": [{"name": "main", "image": "none", "resources": _GPU}],
}


@dataclass(frozen=True)
class Took:
    """Of a whole process: its time, the processor's, the most memory, and what it printed."""

    seconds: float
    processor: float
    peak_mib: float
    output: str = field(repr=False)


@dataclass(frozen=True)
class VerbTimes:
    """Medians, of a stack as it comes up, and of one with `PODS` pods and `JOBS` jobs more."""

    resources: int
    status: Took
    status_of_many: Took
    jobs: Took
    jobs_of_many: Took


def verb_times() -> VerbTimes:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "sandbox"
        try:
            return _measured(folder)
        finally:
            forget(Workspace(folder, ""))


def _measured(folder: Path) -> VerbTimes:
    where = ["--stack", STACK, "--folder", str(folder), "--kube", KubeMode.real.value]
    _took([sys.executable, "-m", "sandbox", "up", *where])
    stack = sandbox_stack(folder, STACK)
    cluster = Cluster.of(stack)
    few, few_jobs = _verb("status", folder), _verb("jobs", folder)
    _make(cluster, NODE, "", (_node(number) for number in range(PODS // _PER_NODE)))
    _make(cluster, POD, _NAMESPACE, (_pod(number) for number in range(PODS)))
    many = _verb("status", folder)
    _make(cluster, JOB, _NAMESPACE, (_job(number) for number in range(JOBS)))
    many_jobs = _verb("jobs", folder)
    assert sum(it["accelerators"] for it in json.loads(many.output)["uses"]) >= PODS
    assert len(json.loads(many_jobs.output)["jobs"]) >= JOBS
    return VerbTimes(len(stack.resources), few, many, few_jobs, many_jobs)


def _verb(name: str, folder: Path) -> Took:
    words = [name, "--json", "--stack", STACK, "--sandbox", str(folder)]
    found = [_took([sys.executable, "-m", "aistack", *words]) for _ in range(ROUNDS)]
    return Took(
        statistics.median(it.seconds for it in found),
        statistics.median(it.processor for it in found),
        statistics.median(it.peak_mib for it in found),
        found[-1].output,
    )


def _took(command: list[str]) -> Took:
    began = time.monotonic()
    with subprocess.Popen(command, cwd=PROJECT_FOLDER, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        output = process.stdout.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)[:200]} ended with {process.returncode}")
    # Kilobytes on Linux.
    seconds, processor = time.monotonic() - began, used.ru_utime + used.ru_stime
    return Took(seconds, processor, used.ru_maxrss / 1024, output)


def _make(cluster: Cluster, kind: Kind, namespace: str, objects: Iterable[dict[str, Any]]) -> None:
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        done: Iterator[object] = pool.map(lambda it: cluster.create(kind, namespace, it), objects)
        for _ in done:
            pass


def _node(number: int) -> dict[str, Any]:
    """One of kwok's."""
    name = _name_of_node(number)
    metadata = {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}}
    amounts = {"cpu": "96", "memory": "1Ti", "pods": "200", "nvidia.com/gpu": str(_PER_NODE)}
    status = {"allocatable": amounts, "capacity": amounts}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}


def _pod(number: int) -> dict[str, Any]:
    """It runs from the start, and has a GPU."""
    spec = {**_TEMPLATE, "nodeName": _name_of_node(number // _PER_NODE)}
    return _object(POD, f"pod-{number}", spec)


def _job(number: int) -> dict[str, Any]:
    """It waits."""
    return _object(JOB, f"job-{number}", {"suspend": True, "template": {"spec": _TEMPLATE}})


def _object(kind: Kind, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {"name": f"bench-{name}"},
        "spec": spec,
    }


def _name_of_node(number: int) -> str:
    return f"bench-{number}"
