"""`make demo-train`: what `aistack submit` makes of the job of gcsfuse-checkpoint, on Ray on this
machine, its log as it comes.

The sandbox brings the stack up. Its cluster has no API server, so the RayJob is run here as KubeRay
would have Ray run it. A folder stands in for the bucket, JAX on CPUs for PyTorch on GPUs, and
generated images for those of the config. The job is run twice, for the second time has nothing left
to do.
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

import yaml

from aistack.stack import Stack, last_config
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from components.ray_manifest import LAUNCHER_DIR
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import in_memory
from sandbox.engine import Engine, RunOptions
from sandbox.faults import Faults
from sandbox.kube.objects import Ref
from sandbox.pulumi_cli import cli_environment
from sandbox.workspace import PROJECT_FOLDER, Workspace

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


def submitted(workspace: Workspace) -> SubmittedJob:
    """What `aistack submit --job pytorch-image-classifier` makes, and the files that the head has
    already."""
    stack = Stack(name=STACK, resources=(), environment=cli_environment(workspace))
    request = Request(name="again", like=JOB)
    parcel = checked(request, last_config(stack), (), STACK).parcel
    spec = parcel.work.obj["spec"]
    environment = yaml.safe_load(spec["runtimeEnvYAML"])
    return SubmittedJob(
        spec["entrypoint"],
        environment.get("env_vars", {}),
        environment.get("pip", []),
        {**_on_the_head(workspace), **parcel.files},
    )


def _on_the_head(workspace: Workspace) -> dict[str, str]:
    cloud = workspace.cloud()
    kube = in_memory(next(cloud.find(Cluster.token)), cloud)
    [whole] = [it for it in kube.inventory()["ConfigMap"] if it.endswith("-launcher")]
    namespace, _, name = whole.rpartition("/")
    found = kube.get(Ref(api_version="v1", kind="ConfigMap", namespace=namespace, name=name))
    assert found is not None
    return found["data"]


def bring_up(workspace: Workspace) -> None:
    """The stack on the sandbox, quietly."""
    with workspace.lock():
        engine = Engine(workspace, workspace.prepare([]))
        quiet = RunOptions(speed=SPEED, faults=Faults(), on_output=lambda line: None)
        result = engine.run("up", quiet)
    if not result.ok:
        raise SystemExit(f"up of {STACK} failed: python -m sandbox up --stack {STACK} says why")


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the job of gcsfuse-checkpoint here.")
    parser.add_argument("--python", required=True, help="of the environment with Ray and JAX")
    # Not resolved: a virtual environment is found by the link's place.
    python = Path(parser.parse_args().python).absolute()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        launcher, bucket = root / "launcher", root / "bucket"
        workspace = Workspace(root / "sandbox", STACK)
        print(f"1 of 3: {STACK} on the sandbox", flush=True)
        bring_up(workspace)
        print(f"\naistack submit --job {JOB} --name again --stack {STACK}", flush=True)
        job = submitted(workspace)
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
