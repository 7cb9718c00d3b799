"""APIs of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.cloud.kind import Inputs, Kind, Resource
from sandbox.errors import CloudError

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud


class Service(Kind):
    """An enabled API; it stays on when the resource goes, unless `disableOnDestroy` says
    otherwise."""

    token = "gcp:projects/service:Service"
    shared = True

    def admit(self, inputs: Inputs, cloud: Cloud) -> None:
        del cloud
        if not str(inputs["service"]).endswith(".googleapis.com"):
            raise CloudError(
                "INVALID_ARGUMENT",
                f'"{inputs["service"]}" is not an API; nearest: NAME.googleapis.com',
            )

    def is_asked(self, operation: str, inputs: Inputs) -> bool:
        return operation != "delete" or inputs.get("disableOnDestroy") is not False

    def after_create(self, resource: Resource, cloud: Cloud) -> None:
        cloud.turn_on_api(resource["project"], resource["service"])
