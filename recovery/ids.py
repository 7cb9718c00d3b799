"""The id that a resource gets when it is made, derived from its inputs alone.

A create that was cut off leaves no id in the state. Since every cloud name here is deterministic,
so is the id: formats are those of the pulumi-gcp and pulumi-kubernetes providers (their import
sections, 10.2.0 and 4.34.2, read 2026-11-21).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

Inputs = Mapping[str, Any]

_LOCATED = "projects/{project}/locations/{location}"
_FORMATS: Mapping[str, str] = {
    "gcp:projects/service:Service": "{project}/{service}",
    "gcp:compute/network:Network": "projects/{project}/global/networks/{name}",
    "gcp:compute/image:Image": "projects/{project}/global/images/{name}",
    "gcp:compute/subnetwork:Subnetwork": "projects/{project}/regions/{region}/subnetworks/{name}",
    "gcp:compute/firewall:Firewall": "projects/{project}/global/firewalls/{name}",
    "gcp:compute/globalAddress:GlobalAddress": "projects/{project}/global/addresses/{name}",
    "gcp:compute/router:Router": "projects/{project}/regions/{region}/routers/{name}",
    "gcp:compute/routerNat:RouterNat": "{project}/{region}/{router}/{name}",
    "gcp:compute/resourcePolicy:ResourcePolicy": (
        "projects/{project}/regions/{region}/resourcePolicies/{name}"
    ),
    "gcp:container/cluster:Cluster": _LOCATED + "/clusters/{name}",
    "gcp:lustre/instance:Instance": _LOCATED + "/instances/{instanceId}",
    "gcp:redis/instance:Instance": "projects/{project}/locations/{region}/instances/{name}",
    "gcp:projects/iAMMember:IAMMember": "{project}/{role}/{member}",
    "gcp:artifactregistry/repository:Repository": _LOCATED + "/repositories/{repositoryId}",
    "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember": (
        _LOCATED + "/repositories/{repository}/{role}/{member}"
    ),
    "gcp:storage/bucket:Bucket": "{name}",
    "gcp:storage/bucketIAMMember:BucketIAMMember": "b/{bucket}/{role}/{member}",
}


def _node_pool(inputs: Inputs) -> str:
    cluster = str(inputs["cluster"])
    if "/" not in cluster:
        cluster = "projects/{project}/locations/{location}/clusters/{cluster}".format_map(inputs)
    return f"{cluster}/nodePools/{inputs['name']}"


def _connection(inputs: Inputs) -> str:
    return f"{quote(str(inputs['network']), safe='')}:{inputs['service']}"


def _service_account(inputs: Inputs) -> str:
    project, account = inputs["project"], inputs["accountId"]
    return f"projects/{project}/serviceAccounts/{account}@{project}.iam.gserviceaccount.com"


def _release(inputs: Inputs) -> str:
    # pulumi-kubernetes provider/pkg/provider/helm_release.go, fqName (4.34.2, read 2026-11-22).
    namespace = inputs.get("namespace")
    return f"{namespace}/{inputs['name']}" if namespace else str(inputs["name"])


_BUILDERS: Mapping[str, Callable[[Inputs], str]] = {
    "gcp:container/nodePool:NodePool": _node_pool,
    "gcp:servicenetworking/connection:Connection": _connection,
    "gcp:serviceaccount/account:Account": _service_account,
    "kubernetes:helm.sh/v3:Release": _release,
}


def resource_id(token: str, inputs: Inputs) -> str | None:
    """The id, or None where the cloud chooses it (a dashboard) or an input that it needs is not
    known."""
    try:
        if token in _BUILDERS:
            return _BUILDERS[token](inputs)
        if token.startswith("kubernetes:"):
            return object_id(inputs)
        return _FORMATS[token].format_map(inputs) if token in _FORMATS else None
    except KeyError:
        return None


def object_id(inputs: Inputs) -> str:
    """A Kubernetes object's id, of its manifest; raises KeyError where it has no name."""
    metadata = inputs["metadata"] or {}
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])
