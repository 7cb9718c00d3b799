"""MaxText's `train_compile` for the slices of a stack, in a virtual environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aistack.errors import VerbError
from cli.project import PROJECT_FOLDER

PYTHON = PROJECT_FOLDER / ".venv-fit" / "bin" / "python"
_READY = PROJECT_FOLDER / ".venv-fit" / ".ready"
TARGET = "make fit-tools"
_STEP = Path(__file__).parent / "compile_step.py"
_GIB = 2**30
# Otherwise libtpu looks for the machine's own TPU, at an address that only Google's machines have,
# and lets nobody else load it, for a machine's TPU is one process's.
_NO_TPU_HERE = {
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "true",
    "JAX_PLATFORMS": "cpu",
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_WORKER_ID": "0",
}

# Variables of this machine's shell that would make it another step than the workers compile:
# MaxText takes each option from M_NAME, too (maxtext 0.2.5, configs/pyconfig.py:43).
_CHANGES_A_STEP = ("JAX_", "LIBTPU_", "M_", "XLA_")


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """GiB of a chip, `by` which packages, and seconds that it took to find out. `used_gib` is the
    compiler's own peak; `loaded_gib` is the step's arguments and the program that is loaded beside
    them, of a step that was compiled. With `without_arguments`, `used_gib` has neither weights nor
    optimizer: the compiler counted temporaries alone."""

    fits: bool
    used_gib: float
    loaded_gib: float | None = None
    memory_gib: float | None
    by: str
    seconds: float
    without_arguments: bool = False


def is_there() -> bool:
    return _READY.is_file()


def compile_step(
    options: Mapping[str, str], flags: str, topology: str, generation: str, slices: int
) -> Compiled:
    """Of MaxText's options by their names. Raises VerbError where MaxText or XLA says no to it."""
    given = {
        **options,
        "compile_topology": f"{generation}:{topology}",
        "compile_topology_num_slices": str(slices),
        "enable_checkpointing": "false",
        "jax_cache_dir": "",
    }
    # Not with the folder of the script: modules there have names that packages have, too.
    command = [str(PYTHON), "-P", str(_STEP), *(f"{key}={it}" for key, it in given.items())]
    environment = {
        **{name: it for name, it in os.environ.items() if not name.startswith(_CHANGES_A_STEP)},
        **_NO_TPU_HERE,
        "LIBTPU_INIT_ARGS": flags,
    }
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    last = done.stdout.strip().rpartition("\n")[2]
    try:
        return _found(json.loads(last))
    except ValueError:
        said = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise VerbError(f"train_compile: {said}") from None


def _found(said: Mapping[str, Any]) -> Compiled:
    if "error" in said:
        raise VerbError(f"train_compile: {said['error']}")
    return Compiled(
        fits=said["fits"],
        used_gib=said["used_bytes"] / _GIB,
        loaded_gib=_loaded(said["parts"]) / _GIB if "parts" in said else None,
        memory_gib=said["hbm_bytes"] / _GIB if "hbm_bytes" in said else None,
        by=said["by"],
        seconds=said["seconds"],
        without_arguments=said.get("without_arguments", False),
    )


def _loaded(parts: Mapping[str, int]) -> int:
    """Bytes that stand in memory at once when the step runs: its arguments, and beside them the
    program with all its temporaries, which the runtime reserves as one block, however few are alive
    at a time (openxla/xla docs/errors/error_0101.md, 11903d43). Results that take the place of
    arguments take none of their own."""
    return sum(parts.values()) - 2 * parts["alias"]
