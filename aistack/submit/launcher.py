"""Who starts the processes of a submitted program: torchrun, where the program takes its ranks from
it, and else nobody but the program itself. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.kinds import Launcher
from aistack.submit.request import Request
from stacks.parts.jobs.plan import PlannedScript
from stacks.parts.jobs.program_words import program_of, program_place, takes_ranks


def launched(
    request: Request, script: PlannedScript | None, files: Mapping[str, str]
) -> list[str] | None:
    """The command by which torchrun starts a process for each GPU of each pod; None where nobody
    starts the program but its own command. `script` has pods of its own. Raises VerbError where
    torchrun is asked for and has nothing to start."""
    if request.launcher is Launcher.NONE:
        return None
    program = None if script is None else program_of(script.config.command, files)
    if script is None or program is None:
        if request.launcher is Launcher.TORCHRUN:
            raise VerbError(
                "--launcher: torchrun starts a Python file on pods of its own, and no other "
                "program; nearest: leave it out, or torchrun among the words of --command",
                ExitCode.USAGE,
            )
        return None
    asked = request.launcher is Launcher.TORCHRUN
    several = script.config.nodes > 1 or script.gpus > 1
    users_own = bool(request.files) or request.command is not None
    if not asked and not (users_own and several and takes_ranks(program, files)):
        return None
    at = program_place(script.config.command)
    python, words = script.config.command[:at], script.config.command[at:]
    # torchrun by the Python that runs the program, whose packages need not be on PATH
    # (pytorch/pytorch v2.9.0 torch/distributed/run.py: "a python console script to the main module
    # torch.distributed.run").
    return [
        *(*python, "-m", "torch.distributed.run"),
        *("--nnodes", "$(NNODES)", "--node-rank", "$(NODE_RANK)"),
        *("--nproc-per-node", "$(GPUS_PER_NODE)" if script.gpus else "1"),
        *("--master-addr", "$(MASTER_ADDR)", "--master-port", "$(MASTER_PORT)"),
        *words,
    ]


def launch_words(script: PlannedScript) -> str:
    """What torchrun does, as a sentence."""
    each, pods = max(1, script.gpus), script.config.nodes
    processes = f"{each} process{'es' if each > 1 else ''}"
    where = f"each of {pods} pods" if pods > 1 else "its pod"
    return f"torchrun starts {processes} in {where}; --launcher none runs the program as it is."
