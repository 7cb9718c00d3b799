"""The pods of a submitted job, as processes of this machine."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from aistack.submit.parcel import Parcel
from kube.jobs import pod_groups
from tests.workloads.launchers.ray_head import free_port

_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


def printed_by(parcel: Parcel, nodes: int, folder: Path, programs: Path, **more: str) -> list[str]:
    """What each pod prints, once all have ended well. `programs` is the folder that is first in
    PATH, `more` are variables of the image."""
    files = folder / "files"
    files.mkdir()
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    (container,) = pod["containers"]
    for one in parcel.beside:
        if one.kind.name == "ConfigMap":
            for name, text in one.obj["data"].items():
                (files / name).write_text(text)
    port = str(free_port())
    # One address, and a port that nobody has.
    here = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "SCRIPT_DIR": str(files)}
    here["JAX_COORDINATOR_ADDRESS"] = f"127.0.0.1:{port}"
    pods: list[subprocess.Popen[str]] = []
    try:
        for index in range(nodes):
            variables = _variables(container, index) | here
            path = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder)}
            pods.append(
                subprocess.Popen(
                    _expanded(container["command"], variables),
                    env=variables | path | {"OMP_NUM_THREADS": "1"} | more,
                    cwd="/",
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        printed = [it.communicate(timeout=300)[0] for it in pods]
    finally:
        for it in pods:
            it.kill()
    assert [it.returncode for it in pods] == [0] * nodes, "\n".join(printed)
    return printed


def _variables(container: dict[str, Any], index: int) -> dict[str, str]:
    """As the kubelet gives them to the pod of this index; of Secrets it has none."""
    indexed = {_INDEX: str(index)}
    own = [it for it in container["env"] if "secretKeyRef" not in it.get("valueFrom", {})]
    return {
        it["name"]: it["value"]
        if "value" in it
        else indexed[it["valueFrom"]["fieldRef"]["fieldPath"]]
        for it in own
    }


def _expanded(words: list[str], variables: dict[str, str]) -> list[str]:
    return [re.sub(r"\$\((\w+)\)", lambda it: variables.get(it[1], it[0]), word) for word in words]
