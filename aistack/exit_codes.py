"""What `aistack` exits with, for scripts."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Each with what it means."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> "ExitCode":
        made = int.__new__(cls, value)
        made._value_ = value
        made.meaning = meaning
        return made

    FINE = 0, "all that was asked for"
    REFUSED = 1, "the stack or its cluster cannot be asked, or refuses"
    USAGE = 2, "the command line is wrong"
    NOT_FOUND = 3, "there is no such job, or there are several of that name"
    IN_THE_WAY = 4, "`why` found what keeps the job from running, or what ended it"
    NOT_READY = 5, "`status` found something that cannot be used yet"
    JOB_FAILED = 6, "the job that was waited for has failed, or is gone"
    DOES_NOT_FIT = 7, "`fit` found a job that its accelerators cannot hold"
    MAY_NOT_FIT = 8, "`fit` found no job that cannot fit, and one of which it cannot say yes"
    STOP_FIRST = 9, "`work` found what a destroy of the stack does not end"
    INTERRUPTED = 130, "Ctrl-C"
