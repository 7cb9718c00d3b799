"""How a verb ends that cannot do what it was asked for: a line, and an exit code."""

import re
from collections.abc import Iterable

from aistack.exit_codes import ExitCode
from cli.errors import UserError

_NUMBER = re.compile(r"\[Errno -?\d+\] ")


def reason_of(error: Exception) -> str:
    """Why a connection is lost, without the names and addresses of a library's objects."""
    reason = getattr(error, "reason", None) or error
    said = getattr(reason, "strerror", None) or _NUMBER.sub("", str(reason)).rpartition(": ")[2]
    return str(said).splitlines()[0] if said else "without a word"


class VerbError(UserError):
    """Told as it is."""

    def __init__(self, message: str, code: ExitCode = ExitCode.REFUSED) -> None:
        super().__init__(message)
        self.code = code


class CannotRunError(VerbError):
    """A job that is not made, with every reason why."""

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(["the job cannot run; nothing was made.", *self.reasons]))


class LostError(VerbError):
    """Nobody answers now; who waits for something asks again."""


class ForbiddenError(VerbError):
    """The user's roles do not allow it."""


class MissingError(VerbError):
    """What was asked for is not there."""


class EndlessError(VerbError):
    """Somebody answers without an end, and would again."""
