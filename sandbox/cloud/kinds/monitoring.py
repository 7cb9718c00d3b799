"""Cloud Monitoring dashboards."""

from __future__ import annotations

import json

from sandbox.cloud.kind import Kind, digest
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

LAYOUTS = ("mosaicLayout", "gridLayout", "rowLayout", "columnLayout")


class Dashboard(Kind):
    token = "gcp:monitoring/dashboard:Dashboard"
    api = "monitoring.googleapis.com"

    def identify(self, inputs: Inputs) -> str:
        # The cloud makes this id up; a digest keeps the sandbox repeatable.
        title = str(_parse(inputs).get("displayName"))
        return f"projects/{inputs['project']}/dashboards/{digest(inputs['project'], title)}"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        del cloud
        self._check(inputs)

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        del resource, cloud
        self._check(news)

    def _check(self, inputs: Inputs) -> None:
        body = _parse(inputs)
        # GoogleCloudPlatform/k8s-config-connector apis/monitoring/v1beta1/types.generated.go:414,
        # which is made of the API's definition, cdb85ecf.
        if not body.get("displayName"):
            raise CloudError("INVALID_ARGUMENT", "a dashboard needs a displayName")
        if sum(layout in body for layout in LAYOUTS) != 1:
            raise CloudError(
                "INVALID_ARGUMENT", f"a dashboard needs one layout of {', '.join(LAYOUTS)}"
            )


def _parse(inputs: Inputs) -> dict[str, object]:
    try:
        # hashicorp/terraform-provider-google-beta resource_monitoring_dashboard.go:132, 93c65b2d.
        body = json.loads(inputs["dashboardJson"])
    except json.JSONDecodeError as error:
        raise CloudError("INVALID_ARGUMENT", f"dashboardJson is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise CloudError("INVALID_ARGUMENT", "dashboardJson must be an object")
    return body
