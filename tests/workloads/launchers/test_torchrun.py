"""A submitted training of two nodes with two processes each finds its ranks: its pods' commands run
on this machine, with PyTorch's gloo in place of NCCL. `make test-workloads` installs PyTorch."""

from __future__ import annotations

import json
from pathlib import Path

from aistack.stack import Config
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from tests.conftest import ROOT
from tests.unit.platform_samples import PLATFORM
from tests.workloads.launchers.pods_here import printed_by

BIN = ROOT / ".venv-torch" / "bin"
STACK = Config(PLATFORM, frozenset())
NODES, EACH = 2, 2
DDP = """
import json
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
total = torch.tensor([rank + 1.0])
dist.all_reduce(total)

model = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(model.weight, float(rank))
copied = DistributedDataParallel(model)
copied(torch.tensor([[float(rank)]])).sum().backward()

told = {
    "world": world,
    "local_rank": int(os.environ["LOCAL_RANK"]),
    "node": int(os.environ["GROUP_RANK"]),
    "sum": total.item(),
    "weight": model.weight.item(),
    "gradient": model.weight.grad.item(),
    "arguments": sys.argv[1:],
}
Path(os.environ["TOLD"], str(rank)).write_text(json.dumps(told))
dist.destroy_process_group()
"""


def test_every_process_of_a_submitted_torchrun_has_its_rank(tmp_path: Path) -> None:
    told = tmp_path / "told"
    told.mkdir()
    (tmp_path / "ddp.py").write_text(DDP)
    request = Request(
        name="mine",
        files=[tmp_path / "ddp.py"],
        arguments=["--lr", "3e-4"],
        fields={
            "image": "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime",
            "pool": "gpu",
            "nodes": NODES,
            "gpus": EACH,
            "requests": {"cpu": 1, "memory_gib": 2},
        },
    )
    parcel = checked(request, STACK, (), "platform").parcel
    printed_by(parcel, NODES, tmp_path, BIN, TOLD=str(told))
    world = NODES * EACH
    assert {int(it.name): json.loads(it.read_text()) for it in told.iterdir()} == {
        rank: {
            "world": world,
            "local_rank": rank % EACH,
            "node": rank // EACH,
            "sum": world * (world + 1) / 2,
            # Rank 0's weights are everybody's, and the gradient is the mean over all.
            "weight": 0.0,
            "gradient": (world - 1) / 2,
            "arguments": ["--lr", "3e-4"],
        }
        for rank in range(world)
    }
