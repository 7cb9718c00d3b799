"""The two ways in which the sandbox says no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class UserError(Exception):
    """A mistake in what the user typed or wrote; shown as one line, never as a traceback. `code` is
    the exit code."""

    code = 1


class CloudError(Exception):
    """What Google Cloud would answer: a status such as ALREADY_EXISTS, and a message."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class NotReadyError(CloudError):
    """An object that was made but does not become ready: the engine keeps it and tries again.

    `state` and `inputs` are what the engine is to remember.
    """

    def __init__(
        self, resource_id: str, state: Mapping[str, Any], inputs: Mapping[str, Any], reason: str
    ) -> None:
        super().__init__("TIMEOUT", reason)
        self.resource_id = resource_id
        self.state = state
        self.inputs = inputs
        self.reason = reason
