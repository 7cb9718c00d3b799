"""Stand-ins for Ray and MaxText that write down what they get, and the trainer run with them."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

SCRIPT = ROOT / "workloads" / "maxtext" / "maxtext_trainer.py"
RAY_CONFIG = """
class Given(dict):
    def __init__(self, **given):
        super().__init__(given)

class ScalingConfig(Given): ...
class RunConfig(Given): ...
class FailureConfig(Given): ...
"""
RAY_JAX = """
import json

class JaxTrainer:
    def __init__(self, train_loop_per_worker, **given):
        self.loop, self.given = train_loop_per_worker, given

    def fit(self):
        print(json.dumps(self.given))
        self.loop(self.given["train_loop_config"])
"""
MAXTEXT = """
import json, os
from pathlib import Path

def main(argv):
    print(json.dumps(argv))
    options = dict(option.split("=", 1) for option in argv[2:])
    run = Path(options["base_output_directory"]) / options["run_name"]
    if last := os.environ["LAST_STEP"]:
        (run / "checkpoints" / last).mkdir(parents=True)
"""
STAND_INS = {
    "ray/train/v2/api/config.py": RAY_CONFIG,
    "ray/train/v2/jax/__init__.py": RAY_JAX,
    "maxtext/trainers/pre_train/train.py": MAXTEXT,
    # As in its wheel, maxtext itself has no __init__.py.
    "maxtext/configs/__init__.py": "",
    "maxtext/configs/base.yml": "",
}


@dataclass
class Site:
    """A mounted bucket, and Python with the stand-ins."""

    folder: Path

    @property
    def bucket(self) -> Path:
        return self.folder / "bucket"

    def has(self, run: str, *steps: str) -> Path:
        """Makes a run with these folders of steps."""
        checkpoints = self.bucket / run / "checkpoints"
        for step in steps:
            (checkpoints / step / "items").mkdir(parents=True)
        return checkpoints

    def run(
        self, *more: str, without: Sequence[str] = (), **environment: str
    ) -> subprocess.CompletedProcess[str]:
        needed = ("run_name=demo", f"base_output_directory={self.bucket}", "steps=100")
        given = {pair.partition("=")[0] for pair in more} | {*without}
        pairs = [pair for pair in needed if pair.partition("=")[0] not in given]
        return subprocess.run(
            [sys.executable, str(SCRIPT), *pairs, *more],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.folder / "lib")} | environment,
        )

    def plan(self, *more: str) -> dict[str, Any]:
        """Of a dry run, where there is no Ray to import."""
        done = self.run(*more, DRY_RUN="1", PYTHONPATH="")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def error(self, *more: str, without: Sequence[str] = ()) -> str:
        done = self.run(*more, without=without, PYTHONPATH="")
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1, done.stderr
        return done.stderr.strip()

    def trains(self, *more: str, last_step: str = "99") -> tuple[dict[str, Any], list[str]]:
        """What Ray's trainer and MaxText's main got."""
        done = self.run(*more, LAST_STEP=last_step)
        assert done.returncode == 0, done.stderr
        trainer, argv = map(json.loads, done.stdout.splitlines())
        return trainer, argv


def make_site(folder: Path) -> Site:
    for name, content in STAND_INS.items():
        path = folder / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (folder / "bucket").mkdir()
    return Site(folder)
