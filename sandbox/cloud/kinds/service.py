"""APIs of the project."""

from __future__ import annotations

from sandbox.cloud.kind import Kind
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError


class Service(Kind):
    """An enabled API; it stays on when the resource goes, unless `disableOnDestroy` says
    otherwise."""

    token = "gcp:projects/service:Service"
    shared = True

    def admit(self, inputs: Inputs, cloud: View) -> None:
        del cloud
        if not str(inputs["service"]).endswith(".googleapis.com"):
            raise CloudError(
                "INVALID_ARGUMENT",
                f'"{inputs["service"]}" is not an API; nearest: NAME.googleapis.com',
            )

    def is_asked(self, operation: str, inputs: Inputs) -> bool:
        return operation != "delete" or inputs.get("disableOnDestroy") is not False

    def after_create(self, resource: Resource, cloud: View) -> None:
        cloud.turn_on_api(resource["project"], resource["service"])
