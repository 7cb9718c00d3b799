"""VPC firewall rules."""

from __future__ import annotations

from typing import Any

from sandbox.cloud.kind import Kind, check_name
from sandbox.cloud.kinds.network import COMPUTE_URL, find_network, parse_range
from sandbox.cloud.kinds.network_profile import refuse_on_rdma
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

SOURCES = ("sourceRanges", "sourceTags", "sourceServiceAccounts")


class Firewall(Kind):
    token = "gcp:compute/firewall:Firewall"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("firewall", inputs["name"])
        refuse_on_rdma(
            find_network(cloud, inputs["network"], inputs.get("project")), "firewall rules"
        )
        for text in (inputs.get("sourceRanges") or []) + (inputs.get("destinationRanges") or []):
            parse_range(text)
        self.planned(inputs)

    def planned(self, inputs: Inputs) -> None:
        # hashicorp/terraform-provider-google-beta resource_compute_firewall.go:102 and :273,
        # 93c65b2d.
        if bool(inputs.get("allows")) == bool(inputs.get("denies")):
            raise CloudError("INVALID_ARGUMENT", "exactly one of allows and denies must be given")
        if inputs.get("direction") != "EGRESS" and not any(inputs.get(key) for key in SOURCES):
            raise CloudError(
                "INVALID_ARGUMENT", f"one of {', '.join(SOURCES)} must be given for ingress"
            )

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        del resource
        self.admit(news, cloud)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        return {"selfLink": f"{COMPUTE_URL}/{resource_id}"}
