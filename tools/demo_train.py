"""`make demo-train`: `aistack submit` and `aistack logs --follow`, with the job of
gcsfuse-checkpoint, which trains on Ray on this machine.

The sandbox brings the stack up on a real control plane, and the commands are a user's. What no
control plane does is done here: the job's command runs beside a Ray of its own, and what it prints
is asked of what stands in for Ray's dashboard. A folder stands in for the bucket, JAX on CPUs for
PyTorch on GPUs, and generated images for those of the config. The job is submitted twice, for the
second time has nothing left to do.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.project import PROJECT_FOLDER
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.control_plane.binaries import binary
from sandbox.engine import Engine, RunOptions
from sandbox.faults import Faults
from sandbox.forget import forget
from sandbox.workspace import Workspace
from tools.ray_here import RayHere

STACK = "gcsfuse-checkpoint"
JOB = "pytorch-image-classifier"
# bash -c SCRIPT launcher python3 FILE, and then the arguments.
_PROGRAM_WORDS = 6
SPEED = 100_000.0
LOCAL_RAY = PROJECT_FOLDER / "tools" / "on_local_ray.py"
# Ray's own and four GPUs' worth of workers, whatever there is.
CPUS, GPUS = "8", "4"
HERE = {"JAX_PLATFORMS": "cpu", "RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.1"}


@dataclass(frozen=True)
class Arguments:
    """Of the classifier's command, with a folder of this machine in place of the bucket's."""

    bucket: Path

    def moved(self, words: Sequence[str]) -> Sequence[str]:
        given = dict(word.split("=", 1) for word in words[_PROGRAM_WORDS:]) | {"data": "generated"}
        mounted = given["storage_path"]
        own = (f"{key}={it.replace(mounted, str(self.bucket))}" for key, it in given.items())
        return [*words[:_PROGRAM_WORDS], *own]


@contextmanager
def brought_up(folder: Path) -> Iterator[Path]:
    """The kubeconfig of the stack's cluster, whose processes end with this."""
    workspace = Workspace(folder, STACK)
    try:
        with workspace.lock():
            engine = Engine(workspace, workspace.prepare([]))
            quiet = RunOptions(
                speed=SPEED, faults=Faults(), on_output=lambda line: None, real_kube=True
            )
            result = engine.run("up", quiet)
        if not result.ok:
            raise SystemExit(f"up of {STACK} failed: python -m sandbox up --stack {STACK} says why")
        clusters = Clusters(workspace.cloud(), workspace.cloud_file)
        yield clusters.control_plane(next(clusters.cloud.find(Cluster.token))).kubeconfig
    finally:
        forget(Workspace(folder, ""))


def aistack(folder: Path, *words: str) -> int:
    """As a user calls it; its exit code."""
    print(f"\n$ aistack {shlex.join(words)}", flush=True)
    environment = {**os.environ, "AISTACK_SANDBOX": str(folder)}
    command = [sys.executable, "-m", "aistack", *words]
    return subprocess.run(command, env=environment, cwd=PROJECT_FOLDER, check=False).returncode


def trained(folder: Path, here: RayHere) -> int:
    """Both times; the exit code of what went wrong first."""
    for name in ("again", "once-more"):
        if code := aistack(folder, "submit", "--job", JOB, "--name", name):
            return code
        with here.running(name) as outcome:
            code = aistack(folder, "logs", name, "--follow")
        if code or not outcome.result():
            return code or 1
    return aistack(folder, "jobs")


def ray_here(kubeconfig: Path, folder: Path, python: Path) -> RayHere:
    """With the Ray and JAX of an environment."""
    bucket = folder / "bucket"
    bucket.mkdir(parents=True)
    return RayHere(
        kubeconfig=kubeconfig,
        cluster=STACK,
        folder=folder,
        prefix=(str(python), str(LOCAL_RAY), CPUS, GPUS),
        variables={**HERE, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"},
        moved=Arguments(bucket).moved,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the job of gcsfuse-checkpoint here.")
    parser.add_argument("--python", required=True, help="of the environment with Ray and JAX")
    # Not resolved: a virtual environment is found by the link's place.
    python = Path(parser.parse_args().python).absolute()
    binary("kube-apiserver")
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        print(f"{STACK} on the sandbox, with a real control plane", flush=True)
        with brought_up(root / "sandbox") as kubeconfig:
            here = ray_here(kubeconfig, root / "here", python)
            here.take_over()
            code = trained(root / "sandbox", here)
        print("\nin the bucket:")
        for path in sorted((root / "here" / "bucket").rglob("*")):
            print(f"  {path.relative_to(root / 'here' / 'bucket')}")
    return code


if __name__ == "__main__":
    sys.exit(main())
