"""How programs find their ranks in the pods of a job: what their source says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aistack.errors import VerbError
from aistack.kinds import Launcher
from aistack.stack import Config
from aistack.submit.preflight import Checked, checked
from aistack.submit.request import Request
from kube.jobs import pod_groups
from stacks.parts.jobs.program_words import jax_problems, takes_ranks
from stacks.tokens import SECRETS
from tests.conftest import changed, stack_config
from tests.unit.platform_samples import PLATFORM

LAB = Config(stack_config("lab"), frozenset(SECRETS))
TWO_CPU_NODES = Config(changed(PLATFORM, pools__cpu__nodes=2), frozenset())
PODS = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}


def submitted(folder: Path, files: dict[str, str], nodes: int) -> Checked:
    for name, text in files.items():
        (folder / name).write_text(text)
    request = Request(
        name="mine", files=[folder / it for it in files], fields={**PODS, "nodes": nodes}
    )
    return checked(request, LAB, (), "lab")


JAX_LOST = {
    "as jax's own page has it": "import jax\njax.distributed.initialize()\n",
    "from a module": "from jax import distributed as d\nd.initialize()\n",
    "by its name": "from jax.distributed import initialize\ninitialize()\n",
    "with the address alone": "import jax\njax.distributed.initialize('a:1')\n",
    "without its own number": "import jax\njax.distributed.initialize(num_processes=2)\n",
    "in a function": "import jax.distributed\ndef main():\n    jax.distributed.initialize()\n",
    "as the main program": (
        "import jax\nif __name__ == '__main__':\n    jax.distributed.initialize()\n"
    ),
}
JAX_KNOWS = {
    "on a condition": "import jax, sys\nif sys.argv[1:]:\n    jax.distributed.initialize()\n",
    "on a word": "import jax, sys\nsys.argv[1:] and jax.distributed.initialize()\n",
    "or goes on without": (
        "import jax\ntry:\n    jax.distributed.initialize()\nexcept ValueError:\n    pass\n"
    ),
    "by place": "import jax\njax.distributed.initialize('a:1', 2, 0)\n",
    "by name": "import jax\njax.distributed.initialize(num_processes=2, process_id=0)\n",
    "by what nobody sees": "import jax\njax.distributed.initialize(**settings())\n",
    "by a list": "import jax\njax.distributed.initialize(*settings())\n",
    "another way": "import jax\njax.distributed.initialize(cluster_detection_method='mpi4py')\n",
    "another library's": "import hydra as jax\njax.distributed.initialize()\n",
    "nothing of it": "import jax\nprint(jax.devices())\n",
    "no Python of ours": "def (\n",
}


@pytest.mark.parametrize("name", JAX_LOST)
def test_jax_that_cannot_find_its_rank_is_refused_with_a_call_that_can(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(VerbError, match=r"FILE: train\.py: line \d: JAX cannot .* nearest: ") as no:
        submitted(tmp_path, {"train.py": JAX_LOST[name]}, nodes=2)
    near = str(no.value).partition("nearest: import os, and ")[2]
    offered = f"import jax\nimport os\n{near}\n"
    assert [*jax_problems("file", "train.py", {"train.py": offered})] == []
    assert submitted(tmp_path, {"train.py": offered}, nodes=2)


def test_a_module_that_the_program_imports_is_read_and_others_are_not(tmp_path: Path) -> None:
    files = {"train.py": "import ranks\n", "ranks.py": JAX_LOST["in a function"]}
    with pytest.raises(VerbError, match=r"FILE: ranks\.py: line 3"):
        submitted(tmp_path, files, nodes=2)
    assert submitted(tmp_path, {**files, "train.py": "print()\n"}, nodes=2)


@pytest.mark.parametrize("name", JAX_KNOWS)
def test_jax_that_says_its_rank_or_may_is_taken(name: str) -> None:
    assert [*jax_problems("file", "train.py", {"train.py": JAX_KNOWS[name]})] == []


def test_one_pod_alone_has_no_ranks_to_find(tmp_path: Path) -> None:
    assert submitted(tmp_path, {"train.py": JAX_LOST["in a function"]}, nodes=1)


DDP = "import torch.distributed as dist\ndist.init_process_group('nccl')\n"
TORCHRUN = [
    *("python3", "-m", "torch.distributed.run"),
    *("--nnodes", "$(NNODES)", "--node-rank", "$(NODE_RANK)"),
    *("--nproc-per-node", "$(GPUS_PER_NODE)"),
    *("--master-addr", "$(MASTER_ADDR)", "--master-port", "$(MASTER_PORT)"),
    *("$(SCRIPT_DIR)/ddp.py", "--lr", "3e-4"),
]


def command_of(
    folder: Path, text: str = DDP, launcher: Launcher | None = None, **fields: object
) -> tuple[list[str], str]:
    """Of the pods, and what `submit` says of it."""
    (folder / "ddp.py").write_text(text)
    request = Request(
        name="mine",
        files=[folder / "ddp.py"],
        arguments=["--lr", "3e-4"],
        launcher=launcher,
        fields={**PODS, **fields},
    )
    found = checked(request, TWO_CPU_NODES, (), "platform")
    ((_, pod),) = pod_groups(found.parcel.work.kind, found.parcel.work.obj)
    return pod["containers"][0]["command"], found.launch


def test_torchrun_starts_a_process_for_each_gpu_of_each_pod(tmp_path: Path) -> None:
    command, said = command_of(tmp_path, pool="gpu", nodes=2, gpus=2)
    assert command == TORCHRUN
    assert said == (
        "torchrun starts 2 processes in each of 2 pods; --launcher none runs the program as it is."
    )


def test_options_of_python_stay_before_torchrun(tmp_path: Path) -> None:
    (tmp_path / "ddp.py").write_text(DDP)
    request = Request(
        name="mine",
        files=[tmp_path / "ddp.py"],
        command="python3 -u -O $(SCRIPT_DIR)/ddp.py --lr 3e-4",
        fields={**PODS, "pool": "gpu", "nodes": 2, "gpus": 2},
    )
    parcel = checked(request, TWO_CPU_NODES, (), "platform").parcel
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    assert pod["containers"][0]["command"] == ["python3", "-u", "-O", *TORCHRUN[1:]]


def test_pods_without_gpus_have_one_process_each(tmp_path: Path) -> None:
    command, _ = command_of(tmp_path, nodes=2)
    assert command == ["1" if it == "$(GPUS_PER_NODE)" else it for it in TORCHRUN]


@pytest.mark.parametrize("text", [DDP, "print()\n"])
def test_the_user_says_who_starts_it(tmp_path: Path, text: str) -> None:
    plain = ["python3", "$(SCRIPT_DIR)/ddp.py", "--lr", "3e-4"]
    assert command_of(tmp_path, text, Launcher.NONE, nodes=2)[0] == plain
    assert command_of(tmp_path, text, Launcher.TORCHRUN, nodes=1)[0][1:3] == TORCHRUN[1:3]


@pytest.mark.parametrize(("text", "nodes"), [(DDP, 1), ("print()\n", 2)])
def test_a_program_without_ranks_to_find_is_started_as_it_is(
    tmp_path: Path, text: str, nodes: int
) -> None:
    command, said = command_of(tmp_path, text, nodes=nodes)
    assert command[0:2] == ["python3", "$(SCRIPT_DIR)/ddp.py"]
    assert said == ""


def test_torchrun_for_what_it_cannot_start_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("true\n")
    request = Request(
        name="mine", files=[tmp_path / "run.sh"], launcher=Launcher.TORCHRUN, fields=PODS
    )
    with pytest.raises(VerbError, match=r"^--launcher: torchrun starts a Python file .*nearest: "):
        checked(request, LAB, (), "lab")


RANKS = {
    "a module under another name": "import torch.distributed as dist\n",
    "from torch": "from torch import distributed\n",
    "an attribute": "import torch\ntorch.distributed.init_process_group()\n",
    "a wrapper": "from torch.nn.parallel import DistributedDataParallel as DDP\n",
    "accelerate": "from accelerate import Accelerator\n",
    "lightning": "import lightning as L\n",
    "deepspeed": "import deepspeed\ndeepspeed.init_distributed()\n",
    "lightning's old name": "import pytorch_lightning as pl\n",
    "an import that may fail": "try:\n    import accelerate\nexcept ImportError:\n    pass\n",
}
NO_RANKS = {
    "torch alone": "import torch\nprint(torch.cuda.device_count())\n",
    "its own processes": f"import torch.multiprocessing as mp\n{DDP}mp.spawn(main)\n",
    "each of its own processes": f"import torch.multiprocessing as mp\n{DDP}mp.Process(target=f)\n",
    "a name that begins alike": "import accelerated\n",
    "a comment": "# torch.distributed\n",
}


@pytest.mark.parametrize("name", [*RANKS, *NO_RANKS])
def test_the_source_says_whether_it_takes_ranks(name: str) -> None:
    text = {**RANKS, **NO_RANKS}[name]
    assert takes_ranks("train.py", {"train.py": text}) == (name in RANKS)


def test_a_file_that_the_program_imports_may_take_them() -> None:
    files = {"train.py": "from ranks import setup\n", "ranks.py": DDP, "other.py": ""}
    assert takes_ranks("train.py", files)
    assert not takes_ranks("other.py", files)
