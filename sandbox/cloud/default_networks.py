"""What a new project has: a network `default` in auto mode; and the subnets of such networks.

me-central2 has no such subnet, and of asia-southeast3 it is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox.cloud.resource import Resource

# N of 10.N.0.0/20, by region (GoogleCloudPlatform/k8s-config-connector
# mockgcp/common/regions/regions.go, 2460fc40).
_SECOND_BYTES = {
    "us-central1": 128,
    "europe-west1": 132,
    "us-west1": 138,
    "asia-east1": 140,
    "us-east1": 142,
    "asia-northeast1": 146,
    "asia-southeast1": 148,
    "us-east4": 150,
    "australia-southeast1": 152,
    "europe-west2": 154,
    "europe-west3": 156,
    "southamerica-east1": 158,
    "asia-south1": 160,
    "northamerica-northeast1": 162,
    "europe-west4": 164,
    "europe-north1": 166,
    "us-west2": 168,
    "asia-east2": 170,
    "europe-west6": 172,
    "asia-northeast2": 174,
    "asia-northeast3": 178,
    "us-west3": 180,
    "us-west4": 182,
    "asia-southeast2": 184,
    "europe-central2": 186,
    "northamerica-northeast2": 188,
    "asia-south2": 190,
    "australia-southeast2": 192,
    "southamerica-west1": 194,
    "europe-west8": 198,
    "europe-west9": 200,
    "us-east5": 202,
    "europe-southwest1": 204,
    "us-south1": 206,
    "me-west1": 208,
    "europe-west12": 210,
    "me-central1": 212,
    "europe-west10": 214,
    "africa-south1": 218,
    "northamerica-south1": 224,
    "europe-north2": 226,
}
_NETWORK = "gcp:compute/network:Network"
_SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
_COMPUTE_URL = "https://www.googleapis.com/compute/v1"
_REFERENCE = re.compile(r"(?:.*/)?projects/([^/]+)/global/networks/default")


def default_network(reference: str, project: str | None) -> Resource | None:
    """That of the project which the reference names, else of `project`; None where it is none."""
    found = _REFERENCE.fullmatch(reference)
    owner = found[1] if found else project if reference == "default" else None
    if owner is None:
        return None
    resource_id = f"projects/{owner}/global/networks/default"
    inputs = {"name": "default", "project": owner, "autoCreateSubnetworks": True}
    return Resource(_NETWORK, resource_id, inputs, {"selfLink": f"{_COMPUTE_URL}/{resource_id}"})


def auto_subnets(network: Resource) -> Iterator[Resource]:
    """One a region, named as the network, unless the network is in custom mode (hashicorp/
    terraform-provider-google-beta resource_compute_network.go, auto_create_subnetworks, 93c65b2d).
    """
    if network["autoCreateSubnetworks"] is False or network["networkProfile"]:
        return
    for region, byte in _SECOND_BYTES.items():
        place = f"projects/{network['project']}/regions/{region}/subnetworks/{network['name']}"
        inputs = {
            "name": network["name"],
            "project": network["project"],
            "region": region,
            "network": network.id,
            "ipCidrRange": f"10.{byte}.0.0/20",
        }
        outputs = {"selfLink": f"{_COMPUTE_URL}/{place}", "gatewayAddress": f"10.{byte}.0.1"}
        yield Resource(_SUBNETWORK, place, inputs, outputs)
