"""What others made in the VPC networks of a stack, which hold these up: Google deletes no network
with a firewall rule, a forwarding rule or an endpoint group in it (decisionbox-io/
decisionbox-platform issue 87 of 2026-03-19; GoogleCloudPlatform/
terraform-google-enterprise-application issue 659 of 2026-03-20: those that GKE made for Services
stay where the cluster goes first). Pure.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

NETWORK = "gcp:compute/network:Network"
_HOLD = ("firewall-rules", "forwarding-rules", "network-endpoint-groups")


def looking(resources: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The commands that list it, for the networks among an engine's records."""
    names: dict[str, list[str]] = {}
    for it in resources:
        if it["type"] == NETWORK:
            found = {**(it.get("inputs") or {}), **(it.get("outputs") or {})}
            names.setdefault(str(found.get("project")), []).append(str(found["name"]))
    for project, each in names.items():
        network = f"network:({' OR '.join(sorted(each))})"
        for what in _HOLD:
            words = ["compute", what, "list", f"--project={project}", f"--filter={network}"]
            yield f"gcloud {shlex.join(words)}"


# By type how gcloud calls it, and the option and property that say where it is.
_DELETED = {
    "gcp:compute/subnetwork:Subnetwork": ("compute networks subnets", "region"),
    "gcp:compute/router:Router": ("compute routers", "region"),
    "gcp:compute/firewall:Firewall": ("compute firewall-rules", ""),
    "gcp:compute/globalAddress:GlobalAddress": ("compute addresses", "global"),
    "gcp:container/cluster:Cluster": ("container clusters", "location"),
    "gcp:lustre/instance:Instance": ("lustre instances", "location"),
    "gcp:redis/instance:Instance": ("redis instances", "region"),
}
HOLDERS = tuple(_DELETED)


def deleting(token: str, inputs: Mapping[str, Any]) -> str:
    """The command that deletes a resource of one of these types."""
    words, place = _DELETED[token]
    options = {"project": inputs["project"], **({place: inputs.get(place)} if place else {})}
    named = [inputs.get("name") or inputs["instanceId"]]
    named += [f"--{key}" if value is None else f"--{key}={value}" for key, value in options.items()]
    return f"gcloud {words} delete {shlex.join(map(str, named))}"
