"""A simulated cloud of one cluster, written by hand where no Pulumi engine is asked."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from kube.objects import JsonObject

CLUSTER = "projects/p/locations/us-central1/clusters/c"


def resource(kind: str, **inputs: object) -> JsonObject:
    token = f"gcp:container/{kind[0].lower()}{kind[1:]}:{kind}"
    urn = f"urn:pulumi:none::gke-ai-stacks::{token}::it"
    return {"type": token, "urns": [urn], "creating": False, "inputs": inputs, "outputs": {}}


def write(file: Path, pools: Mapping[str, JsonObject], preempted: Collection[str] = ()) -> None:
    """`preempted` are the names of pools whose machines Google has taken back."""
    where = {"location": "us-central1", "nodeLocations": ["us-central1-b"]}
    resources = {CLUSTER: resource("Cluster", name="c", **where)}
    resources |= {f"{CLUSTER}/nodePools/{name}": each for name, each in pools.items()}
    ids = [f"{CLUSTER}/nodePools/{name}" for name in preempted]
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps({"resources": resources, "preempted": ids}))
    os.replace(draft, file)
