"""What a stack is made of: how many of each type, and the values that are easiest to get wrong.

`python -m tests.stacks.inventory` brings every stack up and writes the files anew, the README, and
the figures and samples of pages.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from cli.project import stack_names
from cli.urns import name_of
from sandbox.workspace import Workspace
from tests.pages import said
from tests.stacks import page_figures, readme, regions
from tests.stacks.conftest import CANARY, Sandbox

FOLDER = Path(__file__).parent / "inventory"
# Paths of inputs by resource type.
_VALUES = {
    "gcp:compute/network:Network": ("mtu", "networkProfile"),
    "gcp:compute/subnetwork:Subnetwork": ("ipCidrRange",),
    "gcp:container/cluster:Cluster": ("location", "enableAutopilot", "enableMultiNetworking"),
    "gcp:container/nodePool:NodePool": (
        "nodeConfig.machineType",
        "nodeConfig.spot",
        "nodeConfig.reservationAffinity",
        "networkConfig.acceleratorNetworkProfile",
        "networkConfig.additionalNodeNetworkConfigs",
    ),
    "gcp:lustre/instance:Instance": ("capacityGib", "perUnitStorageThroughput"),
    "gcp:storage/bucket:Bucket": (
        "name",
        "forceDestroy",
        "hierarchicalNamespace.enabled",
        "publicAccessPrevention",
        "softDeletePolicy.retentionDurationSeconds",
        "uniformBucketLevelAccess",
    ),
    "gcp:storage/bucketIAMMember:BucketIAMMember": ("bucket", "role", "member"),
    "kubernetes:networking.gke.io/v1:GKENetworkParamSet": ("spec",),
}


def inventory(sandbox: Sandbox) -> dict[str, Any]:
    """Counts by type, components included, and chosen inputs by logical name."""
    resources = [
        one for one in sandbox.state()["resources"] if not one["type"].startswith("pulumi:")
    ]
    values = {name_of(one["urn"]): _chosen(one) for one in resources if one["type"] in _VALUES}
    return {
        "counts": dict(sorted(Counter(str(one["type"]) for one in resources).items())),
        "values": dict(sorted(values.items())),
    }


def file_of(stack: str) -> Path:
    return FOLDER / f"{stack}.yaml"


def _chosen(resource: Mapping[str, Any]) -> dict[str, Any]:
    found = {path: _dig(resource["inputs"], path) for path in _VALUES[resource["type"]]}
    return {path: value for path, value in found.items() if value is not None}


def _dig(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    # As in the tests, whose stacks all have a token.
    os.environ["HUGGING_FACE_TOKEN"] = CANARY
    for stack in stack_names():
        with tempfile.TemporaryDirectory() as folder:
            sandbox = Sandbox(Workspace(Path(folder), stack))
            sandbox.succeed("up")
            text = yaml.safe_dump(inventory(sandbox), sort_keys=False, width=100)
            file_of(stack).write_text(f"# Written by `make inventory`.\n{text}")
            if stack == readme.SHOWN:
                for page, drawn in readme.pictures(sandbox).items():
                    regions.write("picture", drawn, page)
    regions.write("why", readme.why())
    regions.write("waits", f"\n{readme.waits()}\n", readme.WAITS_PAGE)
    regions.write("figures", f"\n{readme.figures()}\n", readme.FIGURES)
    page_figures.write_all()
    said.write_all()


if __name__ == "__main__":
    main()
