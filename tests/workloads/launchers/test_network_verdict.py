"""What the network test says of a network, by four processes of torchrun over gloo on this machine.
`make test-workloads` installs PyTorch. Nothing here runs on two GPUs or over RDMA."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.conftest import ROOT
from tests.workloads.launchers.ray_head import free_port

BIN = ROOT / ".venv-torch" / "bin"
TEST = ROOT / "workloads" / "nccl" / "network_test.py"
# The last rank sums up something else than the others do.
LIE = """
import os
import torch.distributed
summed_up = torch.distributed.all_reduce

def all_reduce(tensor, *args, **options):
    if os.environ["RANK"] == "3" and tensor.numel() > 2:
        tensor += 1
    return summed_up(tensor, *args, **options)

torch.distributed.all_reduce = all_reduce
"""


def verdict(least_gbps: float, folder: Path) -> tuple[bool, str]:
    """Whether torchrun says that all is well, and what was printed."""
    done = subprocess.run(
        [
            *(str(BIN / "torchrun"), "--nproc-per-node", "4"),
            *("--master-addr", "127.0.0.1", "--master-port", str(free_port())),
            *(str(TEST), "collectives", str(least_gbps)),
        ],
        env={
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "PYTHONPATH": str(folder),
            "HOME": str(folder),
            "OMP_NUM_THREADS": "1",
            "NETWORK_TEST_BACKEND": "gloo",
            "NETWORK_TEST_MIB": "8",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0, done.stdout + done.stderr


def test_a_network_that_carries_what_is_sent_passes_with_its_bandwidth(tmp_path: Path) -> None:
    passed, said = verdict(0, tmp_path)
    assert passed, said
    assert "4 GPUs over gloo: results are right, all-gather of 8 MiB at " in said
    assert "below the wanted" not in said


def test_a_network_that_is_slower_than_wanted_fails(tmp_path: Path) -> None:
    passed, said = verdict(100_000, tmp_path)
    assert not passed, said
    assert "results are right" in said
    assert "bus bandwidth, below the wanted 100000 GB/s" in said


def test_one_rank_with_a_wrong_sum_fails_all(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LIE)
    passed, said = verdict(0, tmp_path)
    assert not passed, said
    assert "results are wrong" in said
