"""A bucket in a folder, and jobs that run beside a Ray cluster of their own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[3]
TRAIN = ROOT / "workloads" / "image_classifier" / "train.py"
STOPPED = Path(__file__).parent / "stopped_train.py"
LOCAL_RAY = Path(__file__).parent / "on_local_ray.py"
# Ray looks after its workers every two seconds; an epoch here takes less.
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


@dataclass(frozen=True)
class Site:
    bucket: Path
    lose: Callable[[], None] = lambda: None

    @property
    def run(self) -> Path:
        return self.bucket / "flowers"

    def command(self, *more: str, script: Path = TRAIN) -> list[str]:
        pairs = ["data=generated", f"storage_path={self.bucket}", f"run_name={self.run.name}"]
        settings = ["learning_rate=0.05", "batch_size=16", "max_failures=0"]
        return [sys.executable, str(script), *pairs, *settings, *more]

    def start(
        self, *more: str, script: Path = TRAIN, ray: bool = True, **environment: str
    ) -> subprocess.Popen[str]:
        beside = [sys.executable, str(LOCAL_RAY), "8", "4"] if ray else []
        return subprocess.Popen(
            [*beside, *self.command(*more, script=script)],
            env=os.environ | ENVIRONMENT | {"PYTHONPATH": str(TRAIN.parent)} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def runs(
        self, *more: str, script: Path = TRAIN, ray: bool = True, **environment: str
    ) -> tuple[int, str]:
        """Exit code and what was printed."""
        process = self.start(*more, script=script, ray=ray, **environment)
        printed, _ = process.communicate()
        return process.returncode, printed

    def killed_in(self, epoch: int, *more: str) -> None:
        """Starts the job, and kills it with all of its cluster, and the bucket's mount, once it is
        inside that epoch."""
        gate = self.bucket.parent / "gate"
        os.mkfifo(gate)
        reader = os.open(gate, os.O_RDONLY | os.O_NONBLOCK)
        process = self.start(*more, script=STOPPED, GATE=str(gate), STOP_IN=str(epoch))
        ready, _, _ = select.select([reader, os.pidfd_open(process.pid)], [], [])
        there = [process.pid, *(it.pid for it in psutil.Process(process.pid).children(True))]
        for pid in there:
            psutil.Process(pid).kill() if psutil.pid_exists(pid) else None
        printed, _ = process.communicate()
        self.lose()
        assert reader in ready, printed
        os.close(reader)

    def checkpoints(self) -> list[str]:
        return sorted(path.name for path in self.run.glob("checkpoint_*"))

    def history(self, checkpoint: str) -> list[dict[str, float]]:
        manifest = self.run / checkpoint / "manifest.json"
        return json.loads(manifest.read_text(encoding="utf-8"))["history"]
