"""Which kind of object a script on pods of its own becomes: a JobSet, or a plain Job where it has
one pod and the stack has nobody who looks after JobSets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aistack.errors import CannotRunError, VerbError
from aistack.exit_codes import ExitCode
from aistack.kinds import Shape
from aistack.offered import offered_up
from aistack.submit.request import Request
from stacks.parts.jobs.plan import JOB_SETS
from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.workload_rules import framework_problems

# What Kueue calls plain Jobs.
_JOBS = "batch/job"
Values = Mapping[str, Any]


def is_plain(request: Request, values: Values, job: Values, *, has_job_sets: bool) -> bool:
    """Whether it is to be a plain Job. `has_job_sets` says whether JobSet's controller is in the
    stack's cluster. Raises VerbError for what is neither."""
    if job.get("type") != "script" or job.get("ray") is not None:
        if request.shape is not None:
            raise VerbError(
                f"--as: {request.name} has no pods of its own whose kind could be said; nearest: "
                "leave it out, or a script with --image, --cpu and --memory",
                ExitCode.USAGE,
            )
        return False
    nodes = job.get("nodes", 1)
    if not isinstance(nodes, int) or nodes < 1:
        # Refused in the words of the config.
        return False
    if nodes != 1:
        _check_several(request, nodes, has_job_sets=has_job_sets)
        return False
    if request.shape is not None:
        return request.shape is Shape.JOB
    queues = _queues(values, job)
    return not has_job_sets or (queues is not None and JOB_SETS not in queues.frameworks)


def as_if_job_sets(request: Request, values: Values, job: Values) -> Values:
    """The config by which the rules judge a plain Job, which asks of a stack what a JobSet does: as
    if the queues took those. Raises VerbError where they take no Jobs."""
    queues = _queues(values, job)
    if queues is None:
        return values
    if found := framework_problems(queues, f"jobs.{request.name}", _JOBS):
        raise CannotRunError([f"{it.field}: {it.message}" for it in found])
    frameworks = list(dict.fromkeys((*queues.frameworks, JOB_SETS)))
    return {**values, "queues": {**values["queues"], "frameworks": frameworks}}


def _check_several(request: Request, nodes: object, *, has_job_sets: bool) -> None:
    if request.shape is Shape.JOB:
        raise VerbError(
            f"--as: a Job has one node here, and {request.name} has {nodes}; nearest: --nodes 1, "
            "or --as jobset",
            ExitCode.USAGE,
        )
    if not has_job_sets:
        raise VerbError(
            f"--nodes: {nodes} nodes start together as a JobSet, whose controller this stack does "
            "not have; nearest: --nodes 1, or the job among the stack's `jobs`, and "
            f"`{offered_up()}`, which installs it"
        )


def _queues(values: Values, job: Values) -> StackQueues | None:
    """Those that the job waits in, if it waits at all."""
    found = values.get("queues")
    if found is None or job.get("queue") is None:
        return None
    return StackQueues.model_validate(found)
