"""What the source of a Python program says of how it finds its ranks. No Pulumi import."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from stacks.parts.jobs.command_words import FILES_VARIABLE, is_python
from stacks.parts.jobs.on_ray import workload

# Libraries that read RANK, LOCAL_RANK and WORLD_SIZE, one process for each GPU, which torchrun sets
# (pytorch/pytorch v2.9.0 torch/distributed/run.py, "Environment Variables"; huggingface/accelerate
# v1.10.0 src/accelerate/state.py; Lightning-AI/pytorch-lightning 2.5.0
# src/lightning/fabric/plugins/environments/torchelastic.py; deepspeedai/DeepSpeed
# deepspeed/comm/comm.py @ c951f8b6, init_distributed).
_OF_RANKS = (
    "torch.distributed",
    "torch.nn.parallel.DistributedDataParallel",
    "accelerate",
    "deepspeed",
    "lightning",
    "pytorch_lightning",
)
# The program starts its processes by itself.
_STARTS_PROCESSES = (
    "torch.multiprocessing.spawn",
    "torch.multiprocessing.start_processes",
    "torch.multiprocessing.Process",
    "torch.distributed.run",
    "torch.distributed.launcher",
    "accelerate.notebook_launcher",
)
# Python 3.14 Doc/using/cmdline.rst: those after which Python still reads its own options.
_PYTHON_OPTION = re.compile(r"-[bBdEIOPqRsSuvx]+")
_INITIALIZE = "jax.distributed.initialize"
# Positions of its arguments (jax 0.10.2 jax/_src/distributed.py, State.initialize).
_ARGUMENTS = ("coordinator_address", "num_processes", "process_id")
# Python imports `sitecustomize` before a program, from the first folder that has it (Python 3.14
# Doc/library/site.rst).
_WITH_RANKS = (
    'here=`mktemp -d` && printf %s "$0" >"$here/sitecustomize.py" && '
    'export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}" && exec "$@"'
)


def program_place(command: Sequence[str]) -> int | None:
    """Where in the command Python's file stands, after options of its own that have no value."""
    if not command or not is_python(command[0]):
        return None
    rest = (at for at in range(1, len(command)) if not _PYTHON_OPTION.fullmatch(command[at]))
    return next(rest, None)


def program_of(command: Sequence[str], files: Mapping[str, str]) -> str | None:
    """The Python file that a command runs by itself, if it is one of those that come along."""
    at = program_place(command)
    if at is None:
        return None
    folder, _, name = command[at].rpartition("/")
    is_ours = folder == f"$({FILES_VARIABLE})" and PurePosixPath(name).suffix == ".py"
    return name if is_ours and name in files else None


def takes_ranks(program: str, files: Mapping[str, str]) -> bool:
    """Whether the program, or a file that it imports, has its ranks from variables, and nothing of
    it starts processes by itself."""
    names = {one for tree in _reached(program, files) for one in _names(tree)}
    starts = any(_is_of(it, _STARTS_PROCESSES) for it in names)
    return not starts and any(_is_of(it, _OF_RANKS) for it in names)


def with_ranks(command: Sequence[str], files: Mapping[str, str]) -> list[str]:
    """The command of a pod, whose files may call `jax.distributed.initialize` without a word,
    whoever starts them: a shell script, too.

    JAX itself reads the coordinator's address alone. Of a pod it asks the API server, for which
    pods have no token, and only where `kubernetes` is installed; by variables it knows Slurm, Open
    MPI and TPU VMs, and of the first two a process has one GPU alone (jax 0.10.2 and 0.11.1
    jax/_src/clusters/k8s_cluster.py, is_env_present; cluster.py,
    auto_detect_unset_distributed_params; the same at cec06d11 of 2026-08-08)."""
    trees = (_parsed(text) for name, text in files.items() if name.endswith(".py"))
    if not any(tree is not None and _lacks_ranks(tree) for tree in trees):
        return list(command)
    return ["sh", "-c", _WITH_RANKS, workload("jax/ranks.py"), *command]


def _lacks_ranks(tree: ast.Module) -> bool:
    """Whether some call of the program does not say how many processes there are, and which this
    one is."""
    full = _full_names(tree)
    calls = [it for it in ast.walk(tree) if isinstance(it, ast.Call)]
    own = [it for it in calls if _dotted(it.func, full) == _INITIALIZE]
    return not all(map(_knows_its_rank, own))


def _knows_its_rank(call: ast.Call) -> bool:
    """Whether the call says it, or may."""
    given = {*_ARGUMENTS[: len(call.args)], *(it.arg for it in call.keywords)}
    open_ended = None in given or any(isinstance(it, ast.Starred) for it in call.args)
    other_way = "cluster_detection_method" in given
    return open_ended or other_way or {"num_processes", "process_id"} <= given


def _reached(program: str, files: Mapping[str, str]) -> Iterator[ast.Module]:
    """The program, and files beside it that it imports."""
    waiting, seen = [program], {program}
    while waiting:
        file = waiting.pop()
        tree = _parsed(files[file])
        if tree is None:
            continue
        yield tree
        for name in _names(tree):
            beside = f"{name.partition('.')[0]}.py"
            if beside in files and beside not in seen:
                seen.add(beside)
                waiting.append(beside)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Python says so in the pod, if its version does not take it either.
        return None


def _names(tree: ast.Module) -> set[str]:
    """What it imports, and what it takes of that, in full."""
    full = _full_names(tree)
    taken = {_dotted(it, full) for it in ast.walk(tree) if isinstance(it, ast.Attribute | ast.Name)}
    plain = {
        alias.name for it in ast.walk(tree) if isinstance(it, ast.Import) for alias in it.names
    }
    return {*full.values(), *plain, *(it for it in taken if it is not None)}


def _full_names(tree: ast.Module) -> dict[str, str]:
    """By the name in the file."""
    found: dict[str, str] = {}
    for it in ast.walk(tree):
        if isinstance(it, ast.Import):
            for alias in it.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(it, ast.ImportFrom):
            for alias in it.names:
                found[alias.asname or alias.name] = f"{it.module}.{alias.name}"
    return found


def _dotted(node: ast.expr, full: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return full.get(node.id)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, full)
        return None if before is None else f"{before}.{node.attr}"
    return None


def _is_of(name: str, of: Sequence[str]) -> bool:
    return any(name == it or name.startswith(f"{it}.") for it in of)
