"""What a program may take to be there already: APIs of its projects, and a cluster."""

from __future__ import annotations

from catalog.table import nearest_names
from cli.errors import UserError
from sandbox.cloud.cloud import ANY, Cloud
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.errors import CloudError
from sandbox.workspace import SANDBOX_PROJECT

ALL = "all"
_CLUSTER = {
    "project": SANDBOX_PROJECT,
    "name": "cluster-at-hand",
    "location": "us-central1-a",
    "initialNodeCount": 3,
    "nodeConfig": {"machineType": "e2-standard-4"},
    "deletionProtection": False,
}


def have_apis(cloud: Cloud, apis: str) -> None:
    """In every project. `apis` is `all`, or names with commas between them, with or without their
    domain."""
    known = {it.api.partition(".")[0] for it in KINDS.values() if it.api}
    for name in filter(None, apis.split(",")):
        short = name.strip().removesuffix(".googleapis.com")
        if short != ALL and short not in known and short == name:
            near = nearest_names(short, sorted({*known, ALL}))
            raise UserError(f'--apis: "{name}": no API that the sandbox asks; nearest: {near}')
        cloud.turn_on_api(ANY, ANY if short == ALL else f"{short}.googleapis.com")
    cloud.save()


def have_cluster(cloud: Cloud) -> None:
    """One with three nodes, which a Kubernetes provider without a kubeconfig reaches."""
    try:
        cloud.add_existing(Cluster.token, dict(_CLUSTER))
    except CloudError as error:
        raise UserError(f"--cluster: {error}") from None
    cloud.have_at_hand(KINDS[Cluster.token].identify(_CLUSTER))
    cloud.save()
