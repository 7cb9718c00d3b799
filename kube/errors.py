"""The one error of the in-memory Kubernetes API, shaped after an API server's Status."""

from collections.abc import Sequence


class KubeError(Exception):
    """`reason` is the API server's word: Invalid, NotFound, Forbidden, Conflict, NoMatch."""

    def __init__(self, message: str, *, reason: str = "Invalid", problems: Sequence[str] = ()):
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.problems = tuple(problems)


def invalid(kind: str, name: str, problems: Sequence[str]) -> KubeError:
    return KubeError(f'{kind} "{name}" is invalid: ' + "; ".join(problems), problems=problems)
