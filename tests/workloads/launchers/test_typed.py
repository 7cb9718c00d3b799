"""What people type that needs PyTorch, JAX or pip, started as the pods of a cluster would start it.
`make test-workloads` installs them."""

from __future__ import annotations

import json
import venv
import zipfile
from pathlib import Path

import pytest

from aistack.errors import VerbError
from tests.conftest import ROOT
from tests.unit.test_submit_public import ALL, PUBLIC, SAYS, Typed, submitted
from tests.workloads.launchers.pods_here import printed_by

TORCH = ROOT / ".venv-torch" / "bin"
RAY_AND_JAX = ROOT / ".venv-workloads" / "bin"
# The first lines of a program that uses torchrun's ranks. Both of a pod print into one pipe, where
# words that are written one by one mix.
RANKS = """
import os, sys
import torch.distributed as dist
dist.init_process_group("gloo")
print(f"{dist.get_world_size()} {dist.get_rank()} {sys.argv[1:]}\\n", end="")
dist.destroy_process_group()
"""
ACCELERATE = """
import sys
from accelerate import Accelerator
print(Accelerator().num_processes, sys.argv[1:])
"""
JAX = """
import json
import jax
jax.distributed.initialize()
print(json.dumps([jax.process_count(), jax.process_index(), jax.local_device_count()]))
"""


def with_program(typed: Typed, text: str) -> Typed:
    """With another text in the place of what only says that it runs."""
    here = {name: text if it == SAYS else it for name, it in typed.here.items()}
    return Typed(**{**vars(typed), "here": here})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "name", ["torchrun that meets at an address", "torchrun's options in a list"]
)
def test_what_joins_pods_by_torchrun_is_one_training(tmp_path: Path, home: Path, name: str) -> None:
    parcel = submitted(home, with_program(PUBLIC[name], RANKS))
    lines = [line for it in printed_by(parcel, 2, tmp_path, TORCH) for line in it.splitlines()]
    ranks = sorted(line for line in lines if line.startswith("4 "))
    words = "['--bf16']" if "list" in name else "[]"
    assert ranks == [f"4 {rank} {words}" for rank in range(4)]


def test_the_line_that_accelerate_is_refused_with_makes_one_training_of_two_pods(
    tmp_path: Path, home: Path
) -> None:
    typed = with_program(PUBLIC["accelerate on two nodes"], RANKS)
    with pytest.raises(VerbError) as refused:
        submitted(home, typed)
    line = str(refused.value).rpartition("nearest: ")[2]
    command = f"{line} $(SCRIPT_DIR)/train_grpo.py"
    parcel = submitted(home, Typed(**{**vars(typed), "command": command}))
    printed = printed_by(parcel, 2, tmp_path, TORCH)
    ranks = sorted(it for one in printed for it in one.splitlines() if it.startswith("4 "))
    assert ranks == [f"4 {rank} []" for rank in range(4)]


def test_accelerate_starts_what_people_type_for_a_pod(tmp_path: Path, home: Path) -> None:
    parcel = submitted(home, with_program(PUBLIC["tokens that a tokenizer has"], ACCELERATE))
    (printed,) = printed_by(parcel, 1, tmp_path, TORCH)
    words = ["--placeholder_token=<cat-toy>", "--initializer_token=toy", "--use_auth_token"]
    assert printed.splitlines()[-1] == f"1 {words}"


@pytest.mark.parametrize("by", ["python3", "a shell script"])
def test_jax_on_two_pods_finds_its_ranks_without_a_word(
    tmp_path: Path, home: Path, by: str
) -> None:
    typed = with_program(PUBLIC["JAX on two pods"], JAX)
    if by != "python3":
        script = 'cd "$SCRIPT_DIR" && python3 train.py\n'
        own = {"here": {"run.sh": script, **typed.here}, "brought": ["run.sh", *typed.brought]}
        typed = Typed(**{**vars(typed), **own})
    parcel = submitted(home, typed)
    # As of a pod that is in a cluster, where JAX would ask the API server.
    more = {"JAX_PLATFORMS": "cpu", "KUBERNETES_SERVICE_HOST": "192.0.2.1"}
    printed = printed_by(parcel, 2, tmp_path, RAY_AND_JAX, **more)
    assert [json.loads(it.splitlines()[-1]) for it in printed] == [[2, 0, 1], [2, 1, 1]]


def _wheel(folder: Path, name: str) -> None:
    """A package of that name with nothing in it but a module."""
    info = f"{name}-9.dist-info"
    with zipfile.ZipFile(folder / f"{name}-9-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 9\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.mark.parametrize(
    ("name", "package"),
    [("a folder with requirements", "torch"), ("S3, packages by a shell", "einops")],
)
def test_packages_are_there_when_the_program_starts(
    tmp_path: Path, home: Path, name: str, package: str
) -> None:
    """From a folder in the place of an index, into a Python of the job's own."""
    index, own = tmp_path / "index", tmp_path / "own"
    index.mkdir()
    _wheel(index, package)
    typed = with_program(ALL[name], f"import {package}\nprint('it runs')\n")
    venv.create(own, with_pip=True)
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    (printed,) = printed_by(submitted(home, typed), 1, tmp_path, own / "bin", **offline)
    assert printed.splitlines()[-1] == "it runs"
