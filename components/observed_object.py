"""A custom object of Kubernetes, and its status as the engine's state has it: that of the last
create, update or refresh. The SDK's own class hands a program no status.
"""

from collections.abc import Mapping
from typing import Any

import pulumi

Status = Mapping[str, Any] | None


class ObservedObject(pulumi.CustomResource):
    """`status` is None where none is known."""

    metadata: pulumi.Output[Any]
    status: pulumi.Output[Status]

    def __init__(
        self,
        name: str,
        *,
        api_version: str,
        kind: str,
        metadata: pulumi.Input[Mapping[str, Any]],
        spec: Any,
        opts: pulumi.ResourceOptions,
    ) -> None:
        properties = {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": metadata,
            "spec": spec,
            "status": None,
        }
        super().__init__(f"kubernetes:{api_version}:{kind}", name, properties, opts)
