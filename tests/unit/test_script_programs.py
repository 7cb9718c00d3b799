"""How programs find their ranks in the pods of a job: what their source says of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aistack.errors import VerbError
from aistack.kinds import Launcher
from aistack.stack import Config
from aistack.submit.preflight import Checked, checked
from aistack.submit.request import Request
from kube.jobs import pod_groups
from stacks.parts.jobs.program_words import takes_ranks, with_ranks
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


# Programs that leave something out of the call.
JAX_ASKS = {
    "as jax's own page has it": "import jax\njax.distributed.initialize()\n",
    "from a module": "from jax import distributed as d\nd.initialize()\n",
    "by its name": "from jax.distributed import initialize\ninitialize()\n",
    "with the address alone": "import jax\njax.distributed.initialize('a:1')\n",
    "without its own number": "import jax\njax.distributed.initialize(num_processes=2)\n",
    "in a function": "import jax.distributed\ndef main():\n    jax.distributed.initialize()\n",
    "on a condition": "import jax, sys\nif sys.argv[1:]:\n    jax.distributed.initialize()\n",
    "or goes on without": (
        "import jax\ntry:\n    jax.distributed.initialize()\nexcept ValueError:\n    pass\n"
    ),
}
JAX_KNOWS = {
    "by place": "import jax\njax.distributed.initialize('a:1', 2, 0)\n",
    "by name": "import jax\njax.distributed.initialize(num_processes=2, process_id=0)\n",
    "by what nobody sees": "import jax\njax.distributed.initialize(**settings())\n",
    "by a list": "import jax\njax.distributed.initialize(*settings())\n",
    "another way": "import jax\njax.distributed.initialize(cluster_detection_method='mpi4py')\n",
    "another library's": "import hydra as jax\njax.distributed.initialize()\n",
    "nothing of it": "import jax\nprint(jax.devices())\n",
    "no Python of ours": "def (\n",
}
RUN = ["python3", "-u", "$(SCRIPT_DIR)/train.py", "--lr", "3e-4"]


@pytest.mark.parametrize("name", JAX_ASKS)
def test_a_jax_program_that_does_not_say_its_rank_is_told_it(name: str) -> None:
    shell, dash, line, code, *command = with_ranks(RUN, {"train.py": JAX_ASKS[name]})
    assert [shell, dash, *command] == ["sh", "-c", *RUN]
    # The kubelet takes such words for its own.
    assert "$(" not in line + code


@pytest.mark.parametrize("name", JAX_KNOWS)
def test_any_other_program_is_run_as_it_is(name: str) -> None:
    assert with_ranks(RUN, {"train.py": JAX_KNOWS[name]}) == RUN


@pytest.mark.parametrize("text", ["+".join("1" * 10_000), "-" * 100_000 + "1", "\0"])
def test_a_program_that_nobody_can_read_is_run_as_it_is(text: str) -> None:
    assert with_ranks(RUN, {"train.py": text}) == RUN


def test_so_is_one_that_a_shell_script_starts_or_that_is_imported() -> None:
    files = {"run.sh": "python3 main.py\n", "main.py": "import ranks\n"}
    own = ["bash", "$(SCRIPT_DIR)/run.sh"]
    assert with_ranks(own, files) == own
    assert with_ranks(own, {**files, "ranks.py": JAX_ASKS["in a function"]})[-2:] == own


JAX = """
class State:
    def initialize(self, coordinator_address=None, num_processes=None, process_id=None,
                   local_device_ids=None, cluster_detection_method=None):
        print(coordinator_address, num_processes, process_id, local_device_ids,
              cluster_detection_method)

global_state = State()

def initialize(*given, **named):
    global_state.initialize(*given, **named)
"""
CALLS = {
    "": "a:1 2 1 None deactivate",
    "'b:2'": "b:2 2 1 None deactivate",
    "num_processes=4, process_id=3": "a:1 4 3 None deactivate",
    "local_device_ids=[0]": "a:1 2 1 [0] deactivate",
    "cluster_detection_method='mpi4py'": "None None None None mpi4py",
}


def ran_with_ranks(folder: Path, given: str, command: list[str], **variables: str) -> list[str]:
    """What a program prints, with a package in place of JAX that is imported when it does it."""
    (folder / "jax" / "_src").mkdir(parents=True)
    (folder / "jax" / "_src" / "__init__.py").touch()
    (folder / "jax" / "_src" / "distributed.py").write_text(JAX)
    (folder / "jax" / "__init__.py").write_text(
        "import os\nprint(os.environ['XLA_FLAGS'])\nfrom jax._src import distributed\n"
    )
    files = {
        "beside.py": "",
        "run.sh": f'cd "$(dirname "$0")" && {sys.executable} train.py "$@"\n',
        "train.py": "import os, sys, beside\nos.environ['XLA_FLAGS'] = 'set first'\nimport jax\n"
        f"jax.distributed.initialize({given})\nprint(__name__, sys.argv[1:])\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    words = with_ranks(command, {**files, "main.py": JAX_ASKS["by its name"]})
    own = {
        "JAX_COORDINATOR_ADDRESS": "a:1",
        "NNODES": "2",
        "NODE_RANK": "1",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        [it.replace("$(SCRIPT_DIR)", str(folder)) for it in words],
        env={"PATH": "/usr/bin:/bin", **own, **variables},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


BY_PYTHON = [sys.executable, "$(SCRIPT_DIR)/train.py", "--lr", "1"]
BY_SHELL = ["sh", "$(SCRIPT_DIR)/run.sh", "--lr", "1"]
ENDS = "__main__ ['--lr', '1']"


@pytest.mark.parametrize("given", CALLS)
@pytest.mark.parametrize("command", [BY_PYTHON, BY_SHELL], ids=["python", "shell"])
def test_what_the_program_says_goes_before_what_its_pod_says(
    tmp_path: Path, given: str, command: list[str]
) -> None:
    assert ran_with_ranks(tmp_path, given, command) == ["set first", CALLS[given], ENDS]


@pytest.mark.parametrize("by", ["LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"])
def test_who_starts_several_processes_in_a_pod_numbers_them(tmp_path: Path, by: str) -> None:
    printed = ran_with_ranks(tmp_path, "", BY_SHELL, **{by: "1"})
    assert printed == ["set first", "None None None None None", ENDS]


def test_what_an_image_has_python_do_before_each_program_is_done(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("print('of the image')\n")
    printed = ran_with_ranks(tmp_path, "", BY_PYTHON, PYTHONPATH=str(tmp_path / "own"))
    assert printed == ["of the image", "set first", CALLS[""], ENDS]


def test_the_pods_of_a_submitted_jax_program_are_told_their_ranks(tmp_path: Path) -> None:
    found = submitted(tmp_path, {"train.py": JAX_ASKS["in a function"]}, nodes=2)
    ((_, pod),) = pod_groups(found.parcel.work.kind, found.parcel.work.obj)
    command = pod["containers"][0]["command"]
    assert command[:2] == ["sh", "-c"]
    assert command[4:] == ["python3", "$(SCRIPT_DIR)/train.py"]


def test_their_packages_are_those_of_the_python_that_runs_the_program(tmp_path: Path) -> None:
    files = {"train.py": JAX_ASKS["in a function"], "requirements.txt": "jax\n"}
    found = submitted(tmp_path, files, nodes=2)
    ((_, pod),) = pod_groups(found.parcel.work.kind, found.parcel.work.obj)
    _, _, _, _, *command = pod["containers"][0]["command"]
    assert command[-3:] == ["python3", "python3", "$(SCRIPT_DIR)/train.py"]


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


def test_a_file_that_it_imports_and_nobody_can_read_says_nothing() -> None:
    files = {"train.py": "import broken, ranks\n", "broken.py": "def (\n"}
    assert not takes_ranks("train.py", files)
    assert takes_ranks("train.py", {**files, "ranks.py": DDP})
