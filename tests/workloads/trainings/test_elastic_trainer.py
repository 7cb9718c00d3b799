"""The MaxText trainer on Ray's elastic mode, run for real: 8 workers, 4, and 8 again.

Stand-ins: a node of Ray that says it has 16 TPU chips is a slice, JAX computes on CPUs, and a small
model with Orbax's checkpoints is MaxText. Ray's TPU policy, its JaxTrainer, JAX's collectives over
processes and Orbax are real. It cannot prove that MaxText itself goes on as this model does, nor
how long a slice takes to be back.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ray.cluster_utils import Cluster

from tests.workloads.trainings.mounted import MountedBucket, mounted
from tests.workloads.trainings.site import ENVIRONMENT, ROOT

HERE = Path(__file__).parent
PATH = f"{HERE / 'stand_ins'}:{ROOT / 'workloads' / 'maxtext'}"
STEPS = 14
OPTIONS = (f"steps={STEPS}", "checkpoint_period=2", "run_name=llama")
SLICES = ("slices=2", "min_slices=1", "hosts=4", "chips=4", "topology=4x4", "max_failures=1")
# Lost before step 5 is trained, whole again before step 9 is.
HOLD = "5:8,9:4"
TOLERANCE = 1e-5


def slice_of(cluster: Cluster, name: str) -> Any:
    """A slice 4x4 of TPU v6e as KubeRay's nodes show it, all its hosts in one node."""
    return cluster.add_node(
        num_cpus=4,
        resources={"TPU": 16, "TPU-v6e-16-head": 1, "accelerator_type:TPU-V6E": 1},
        labels={
            "ray.io/tpu-slice-name": name,
            "ray.io/tpu-worker-id": "0",
            "ray.io/tpu-topology": "4x4",
            "ray.io/tpu-pod-type": "v6e-16",
            "ray.io/accelerator-type": "TPU-V6E",
        },
        env_vars={"TPU_NAME": name, "TPU_WORKER_ID": "0"},
    )


class Gate:
    """What the training says, or that it has ended."""

    def __init__(self, path: Path, process: subprocess.Popen[str]) -> None:
        self.reader = os.open(path, os.O_RDWR)
        self.ended = os.pidfd_open(process.pid)

    def word(self) -> str:
        ready, _, _ = select.select([self.reader, self.ended], [], [])
        return os.read(self.reader, 100).decode().strip() if self.reader in ready else "ended"


def steps_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "llama" / "steps.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def elastic(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Every step that was trained, also one trained twice, on the stack's own bucket."""
    root = tmp_path_factory.mktemp("elastic")
    gate = root / "gate"
    os.mkfifo(gate)
    settings = {"HOLD": HOLD, "GATE": str(gate)}
    # Workers that wait for others on a lost slice are not waited for.
    settings["JAX_DISTRIBUTED_SHUTDOWN_TIMEOUT_S"] = "1"
    with mounted("tpu-elastic", root) as bucket, head_alone(**settings) as cluster:
        words, code, printed = preempted(cluster, bucket, gate)
        assert (words, code) == (HOLD.split(","), 0), printed
        return steps_of(bucket.folder)


@contextmanager
def head_alone(**settings: str) -> Iterator[Cluster]:
    """A Ray cluster without a slice, whose nodes have these settings in their environment."""
    with pytest.MonkeyPatch.context() as patch:
        for key, value in (ENVIRONMENT | {"PYTHONPATH": PATH} | settings).items():
            patch.setenv(key, value)
        cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False}
        )
        try:
            yield cluster
        finally:
            cluster.shutdown()


def trained(cluster: Cluster, folder: Path, *more: str) -> subprocess.Popen[str]:
    """The trainer, on its way."""
    given = {pair.partition("=")[0] for pair in more}
    usual = (pair for pair in (*OPTIONS, *SLICES) if pair.partition("=")[0] not in given)
    pairs = (*usual, *more, "maxtext=", f"base_output_directory={folder}")
    return subprocess.Popen(
        [sys.executable, str(HERE / "eager_trainer.py"), *pairs],
        env=os.environ | {"RAY_ADDRESS": cluster.address},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def preempted(cluster: Cluster, bucket: MountedBucket, gate: Path) -> tuple[list[str], int, str]:
    """Where the training was held, its exit code, and what it printed. The bucket's mount goes with
    the slice."""
    slice_of(cluster, "slice-0")
    lost = slice_of(cluster, "slice-1")
    process = trained(cluster, bucket.folder)
    said = Gate(gate, process)
    words = [said.word()]
    bucket.lose()
    cluster.remove_node(lost, allow_graceful=False)
    words.append(said.word())
    slice_of(cluster, "slice-1")
    printed, _ = process.communicate()
    return words, process.returncode, printed


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The same training without Ray, on eight devices of one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    train = "import sys; from maxtext.trainers.pre_train.train import main; main(sys.argv)"
    environment = {
        "PYTHONPATH": PATH,
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    }
    subprocess.run(
        [sys.executable, "-c", train, "base.yml", *OPTIONS, f"base_output_directory={folder}"],
        env=os.environ | ENVIRONMENT | environment,
        check=True,
    )
    return steps_of(folder)


def test_a_lost_slice_shrinks_the_training_and_one_that_is_back_grows_it(
    elastic: list[dict[str, Any]],
) -> None:
    assert [(it["step"], it["devices"]) for it in elastic] == [
        *((step, 8) for step in range(5)),
        *((step, 4) for step in range(5, 9)),
        *((step, 8) for step in range(9, STEPS)),
    ]


def test_parameters_are_cut_anew_over_the_devices_that_are_there(
    elastic: list[dict[str, Any]],
) -> None:
    assert all(it["shard"] == [16 // it["devices"], 8] for it in elastic)


def test_the_loss_is_that_of_an_undisturbed_training(
    elastic: list[dict[str, Any]], undisturbed: list[dict[str, Any]]
) -> None:
    losses = {it["step"]: it["loss"] for it in elastic}
    expected = {it["step"]: it["loss"] for it in undisturbed}
    assert losses == pytest.approx(expected, rel=TOLERANCE)
    assert losses[STEPS - 1] < losses[0] / 2


@pytest.mark.parametrize(("max_failures", "code"), [("max_failures=1", 0), ("max_failures=0", 1)])
def test_a_training_that_maxtext_ends_at_a_preemption_goes_on_while_failures_are_left(
    tmp_path: Path, max_failures: str, code: int
) -> None:
    with head_alone(PREEMPTED="5:8") as cluster:
        for name in ("slice-0", "slice-1"):
            slice_of(cluster, name)
        process = trained(cluster, tmp_path, max_failures)
        printed, _ = process.communicate()
    assert process.returncode == code, printed
    assert "stopped after step 5; the same job continues it" in printed
    assert [it["step"] for it in steps_of(tmp_path)] == [*range(STEPS if code == 0 else 6)]
