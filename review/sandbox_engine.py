"""The engine that reviews run: all that they know of the sandbox."""

from sandbox.deployment import with_urns
from sandbox.engine import Engine, RunOptions, RunResult
from sandbox.estimate import Unknown
from sandbox.faults import Faults
from sandbox.of_stacks.first_step import Course
from sandbox.of_stacks.first_step_words import better, minutes, usd
from sandbox.of_stacks.refused import planned, refused
from sandbox.run import courses_of
from sandbox.workspace import Workspace

__all__ = [
    "Course",
    "Engine",
    "Faults",
    "RunOptions",
    "RunResult",
    "Unknown",
    "Workspace",
    "better",
    "courses_of",
    "minutes",
    "planned",
    "refused",
    "usd",
    "with_urns",
]
