"""What Google Cloud and Kubernetes answer where they refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stacks.given_up import GIVEN_UP


class CloudError(Exception):
    """What Google Cloud would answer: a status such as ALREADY_EXISTS, and a message."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class GivenUpError(CloudError):
    """An operation that the provider no longer waits for, and that the cloud goes on with."""

    def __init__(self, seconds: float) -> None:
        # hashicorp/terraform-plugin-sdk helper/retry, TimeoutError, by tpgresource/
        # common_operation.go:155, OperationWait (terraform-provider-google-beta, 93c65b2d60).
        of = f"last state: 'RUNNING', timeout: {_of_go(seconds)}"
        self.reason = f"{GIVEN_UP} to become 'DONE' ({of})"
        super().__init__("TIMEOUT", self.reason)


def _of_go(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes}m{rest}s" if hours else f"{minutes}m{rest}s"


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


class HalfMadeError(CloudError):
    """A create that failed and left the resource: the provider has it in its state, with what it
    has `read` of it, or only with what it sent. Or an update that failed and stays: the provider
    has in its state what was there before, and has read nothing."""

    def __init__(self, resource_id: str, message: str, *, read: bool) -> None:
        super().__init__("INTERNAL", message)
        self.resource_id = resource_id
        self.message = message
        self.read = read
