"""Secrets on a command line, which all could read there and in the job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.exit_codes import ExitCode
from kube.discovery import METADATA
from kube.kinds import SECRET
from kube.objects import name_of
from stacks.secret_words import is_secret_variable, secrets_in_command

_FEW = 5


class InPlainError(VerbError):
    """A secret that is said in plain."""

    def with_those_there(self, cluster: Cluster, namespace: str) -> VerbError:
        """With the names of the Secrets that the user has in the job's namespace, as far as they
        may be seen; nothing of what is in them is read."""
        try:
            found = cluster.pages(SECRET, namespace, fields="type=Opaque", accept=METADATA)
            names = sorted(map(name_of, found))
        except ForbiddenError:
            return self
        there = f"there are {', '.join(names[:_FEW])}" if names else "there is none yet"
        more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
        return VerbError(f"{self}; in {namespace} {there}{more}", self.code)


def check_secrets(
    job: Mapping[str, Any], before: Mapping[str, Any], as_given: Callable[[str], str]
) -> None:
    """Of those that the stack's own job, `before`, has not; `as_given` says how the user has said
    a field. Raises VerbError."""
    variables, had = _mapping(job.get("environment")), _mapping(before.get("environment"))
    for name, value in variables.items():
        if had.get(name) != value and is_secret_variable(name, str(value)):
            raise _refusal(as_given(f"environment.{name}"))
    command = job.get("command")
    if isinstance(command, Sequence) and command != before.get("command"):
        for _, what in secrets_in_command([str(it) for it in command]):
            raise _refusal(f"{as_given('command')}: {what}")


def _refusal(where: str) -> InPlainError:
    return InPlainError(
        f"{where}: looks like a secret, which all could read in the command line and in the job; "
        "nearest: --secret NAME=KEY, with a Secret of the job's namespace",
        ExitCode.USAGE,
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
