"""What a person has to know or do beside the state: an id to look up, a pool that GKE made."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from recovery.pending import CLUSTER, Adoption, Orphan

_DASHBOARD = "gcp:monitoring/dashboard:Dashboard"


def look_up(orphan: Orphan) -> Iterator[str]:
    """Lines on a create whose id the cloud chose."""
    yield f"Google chose the id of {orphan.urn}: it cannot be derived"
    title = _title(orphan.inputs) if orphan.type == _DASHBOARD else None
    if title is None:
        yield "  look for it in the cloud console, and delete it: the next `up` makes it"
        return
    project = orphan.inputs.get("project", "PROJECT")
    wanted = shlex.quote(f'displayName="{title}"')
    yield (
        f"  look it up:  gcloud monitoring dashboards list --project {project} "
        f"--filter {wanted} --format 'value(name)'"
    )
    yield f"  nothing: the next `up` makes it; else run this again with --id '{orphan.urn}=NAME'"


def default_pools(adoption: Adoption) -> Iterator[str]:
    """Lines on adopted clusters, which may still have the pool that GKE began them with."""
    for resource in adoption.deployment["resources"]:
        if resource["urn"] in adoption.adopted and resource["type"] == CLUSTER:
            name = resource["id"].rsplit("/", 1)[-1]
            yield (
                f"the next `up` updates removeDefaultNodePool of cluster {name}: it takes away the "
                "pool that GKE began the cluster with"
            )


def _title(inputs: Mapping[str, Any]) -> str | None:
    try:
        return str(json.loads(inputs["dashboardJson"])["displayName"])
    except (KeyError, TypeError, ValueError):
        return None
