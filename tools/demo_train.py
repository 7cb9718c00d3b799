"""`make demo-train`: the job of gcsfuse-checkpoint, as its RayJob has it, on Ray on this machine.

The sandbox brings the stack up, and its objects are read from there. A folder stands in for the
bucket, JAX on CPUs for PyTorch on GPUs, and generated images for those of the config. The job is
submitted twice, for the second has nothing left to do.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from components.ray_manifest import LAUNCHER_DIR
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import in_memory
from sandbox.engine import Engine, RunOptions
from sandbox.faults import Faults
from sandbox.kube.objects import Ref
from sandbox.workspace import PROJECT_FOLDER, Workspace

STACK = "gcsfuse-checkpoint"
# bash -c SCRIPT launcher python3 FILE, and then the arguments.
_PROGRAM_WORDS = 6
SPEED = 100_000.0
LOCAL_RAY = PROJECT_FOLDER / "tools" / "on_local_ray.py"
# Ray's own and four GPUs' worth of workers, whatever there is.
CPUS, GPUS = "8", "4"
HERE = {"JAX_PLATFORMS": "cpu", "RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.1"}


@dataclass(frozen=True)
class SubmittedJob:
    """What KubeRay would submit, and the files that the head has for it."""

    entrypoint: str
    variables: dict[str, str]
    packages: list[str]
    files: dict[str, str]

    @property
    def arguments(self) -> dict[str, str]:
        words = shlex.split(self.entrypoint)
        return dict(word.split("=", 1) for word in words[_PROGRAM_WORDS:])

    def command(self, launcher: Path, bucket: Path) -> list[str]:
        """The entrypoint, with folders of this machine in place of the pod's."""
        program = shlex.split(self.entrypoint)[:_PROGRAM_WORDS]
        arguments = self.arguments | {"data": "generated"}
        mounted = arguments["storage_path"]
        return [
            *(word.replace(LAUNCHER_DIR, str(launcher)) for word in program),
            *(f"{key}={it.replace(mounted, str(bucket))}" for key, it in arguments.items()),
        ]


def submitted(cloud: Cloud) -> SubmittedJob:
    kube = in_memory(next(cloud.find(Cluster.token)), cloud)

    def only(api_version: str, kind: str, ending: str) -> dict[str, Any]:
        [whole] = [it for it in kube.inventory()[kind] if it.endswith(ending)]
        namespace, _, name = whole.rpartition("/")
        found = kube.get(Ref(api_version=api_version, kind=kind, namespace=namespace, name=name))
        assert found is not None
        return found

    spec = only("ray.io/v1", "RayJob", "")["spec"]
    environment = yaml.safe_load(spec["runtimeEnvYAML"])
    return SubmittedJob(
        spec["entrypoint"],
        environment.get("env_vars", {}),
        environment.get("pip", []),
        only("v1", "ConfigMap", "-launcher")["data"],
    )


def brought_up(root: Path) -> Cloud:
    """The stack on the sandbox, quietly."""
    workspace = Workspace(root, STACK)
    with workspace.lock():
        engine = Engine(workspace, workspace.prepare([]))
        quiet = RunOptions(speed=SPEED, faults=Faults(), on_output=lambda line: None)
        result = engine.run("up", quiet)
    if not result.ok:
        raise SystemExit(f"up of {STACK} failed: python -m sandbox up --stack {STACK} says why")
    return workspace.cloud()


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the job of gcsfuse-checkpoint here.")
    parser.add_argument("--python", required=True, help="of the environment with Ray and JAX")
    # Not resolved: a virtual environment is found by the link's place.
    python = Path(parser.parse_args().python).absolute()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        launcher, bucket = root / "launcher", root / "bucket"
        print(f"1 of 3: {STACK} on the sandbox, for the job that it submits", flush=True)
        job = submitted(brought_up(root / "sandbox"))
        for folder in (launcher, bucket):
            folder.mkdir()
        for name, text in job.files.items():
            (launcher / name).write_text(text, encoding="utf-8")
        print(f"not installed here: {', '.join(job.packages) or 'nothing'}")
        command = job.command(launcher, bucket)
        path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | job.variables | HERE | {"PATH": path}
        beside = [str(python), str(LOCAL_RAY), CPUS, GPUS]
        for title in ("2 of 3: the job", "3 of 3: the job, submitted again"):
            print(f"\n{title}\n{shlex.join(command[3:])}", flush=True)
            done = subprocess.run([*beside, *command], env=environment, check=False)
            if done.returncode:
                return done.returncode
        print("\nin the bucket:")
        for path in sorted(bucket.rglob("*")):
            print(f"  {path.relative_to(bucket)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
