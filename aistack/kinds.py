"""What a script on pods of its own can be."""

from enum import StrEnum


class Launcher(StrEnum):
    """Who starts the processes of a script."""

    NONE = "none"
    TORCHRUN = "torchrun"


class Shape(StrEnum):
    """What a script on pods of its own is submitted as."""

    JOB = "job"
    JOB_SET = "jobset"
