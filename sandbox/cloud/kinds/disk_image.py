"""Disk images of Compute Engine, which no stack makes: their names and projects matter alone."""

from __future__ import annotations

from typing import Any

from sandbox.cloud.kind import Kind, check_name
from sandbox.cloud.kinds.network import COMPUTE_URL
from sandbox.cloud.resource import Inputs
from sandbox.cloud.view import View


class DiskImage(Kind):
    token = "gcp:compute/image:Image"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        del cloud
        check_name("image", inputs["name"])

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        del cloud
        return {
            "selfLink": f"{COMPUTE_URL}/{resource_id}",
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }
