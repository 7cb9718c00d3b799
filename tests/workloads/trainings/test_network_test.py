"""The test of the GPU network on a Ray of two workers, whose GPUs are numbers; torchrun is a
stand-in that writes how it was called. What its processes compute runs where PyTorch is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ray.cluster_utils import Cluster

ROOT = Path(__file__).parents[3]
TEST = ROOT / "workloads" / "nccl" / "network_test.py"
TORCHRUN = Path(__file__).parent / "stand_ins" / "torchrun"
WORKERS, GPUS = 2, 4


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A Ray's address and the folder of the stand-in's calls. The head has no GPUs."""
    folder = tmp_path_factory.mktemp("calls")
    before = dict(os.environ)
    # What pods have in their environment, Ray's processes have.
    os.environ |= {"CALLS": str(folder), "PYTHONPATH": str(TORCHRUN)}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "num_gpus": 0})
    try:
        for _ in range(WORKERS):
            cluster.add_node(num_cpus=2, num_gpus=GPUS)
        cluster.wait_for_nodes()
        yield cluster.address, folder
    finally:
        cluster.shutdown()
        os.environ.clear()
        os.environ |= before


def run(
    calls: tuple[str, Path],
    *,
    plan: dict[str, int | str],
    workers: int = WORKERS,
    limit_s: float = 120,
) -> tuple[int, str]:
    address, folder = calls
    for one in folder.iterdir():
        one.unlink()
    (folder / "plan").write_text(json.dumps(plan), encoding="utf-8")
    # A job's own variables, as `ray job submit` gives them to its driver.
    job = {"runtime_env": {"env_vars": {"NCCL_NET": "gIB"}}}
    done = subprocess.run(
        [sys.executable, str(TEST), str(workers), str(GPUS), "300"],
        env=os.environ
        | {
            "RAY_ADDRESS": address,
            "RAY_JOB_CONFIG_JSON_ENV_VAR": json.dumps(job),
            "NETWORK_TEST_LIMIT_S": str(limit_s),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout


def called(calls: tuple[str, Path]) -> list[dict]:
    found = sorted(calls[1].glob("call-*"))
    return [json.loads(it.read_text(encoding="utf-8")) for it in found]


def test_each_worker_starts_its_part_of_one_torchrun_with_the_jobs_environment(
    calls: tuple[str, Path],
) -> None:
    code, printed = run(calls, plan={})
    assert code == 0, printed
    first, second = called(calls)
    for number, call in enumerate((first, second)):
        assert call["options"].pop("--node-rank") == str(number)
        assert call["script"] == TEST.read_text(encoding="utf-8")
        assert call["arguments"] == ["collectives", "300.0"]
        assert sorted(call["gpus"].split(",")) == ["0", "1", "2", "3"]
        assert call["network"] == "gIB"
    assert first["options"] == second["options"]
    assert first["options"]["--nnodes"] == str(WORKERS)
    assert first["options"]["--nproc-per-node"] == str(GPUS)
    assert "network test: passed" in printed


def test_a_worker_whose_processes_fail_fails_the_test(calls: tuple[str, Path]) -> None:
    code, printed = run(calls, plan={"1": 3})
    assert code == 1
    assert "network test: failed: torchrun failed on " in printed
    assert "passed" not in printed


def test_a_network_that_hangs_ends_the_test_and_its_processes(calls: tuple[str, Path]) -> None:
    code, printed = run(calls, plan={"0": "wait", "1": "wait"}, limit_s=15)
    assert code == 1
    assert "network test: failed: no result in 15 s" in printed
    assert len(list(calls[1].glob("stopped-*"))) == WORKERS


def test_fewer_workers_than_the_training_has_are_no_test(calls: tuple[str, Path]) -> None:
    code, printed = run(calls, plan={}, workers=3)
    assert code == 1
    assert "network test: failed: 2 of 3 workers have 4 GPUs" in printed
    assert called(calls) == []
