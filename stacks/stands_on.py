"""What is guarded and goes with another resource that is deleted before it is replaced.

The engine then first deletes what would be replaced if a property from it changed, by the record of
its last run (pulumi/pulumi pkg/resource/deploy/step_generator.go, calculateDependentReplacements,
v3.256.0). That record tells a program no dependencies, so they are found again by their values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stacks.on_record import Record, Recorded
from stacks.property_paths import same_value, value_at
from stacks.refusal import LUSTRE, NETWORK, NODE_POOL, REDIS, SUBNETWORK

_ACCOUNT = "gcp:serviceaccount/account:Account"
_PEERING = "gcp:servicenetworking/connection:Connection"
_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
_NETWORKS = "networkConfig.additionalNodeNetworkConfigs"


@dataclass(frozen=True)
class _Source:
    """The property of what is guarded, and the output of the resource that it comes from."""

    path: str
    token: str
    output: str


# Of a cluster and of Kueue: stacks/by_hand.py.
SOURCES: Mapping[str, Sequence[_Source]] = {
    NODE_POOL: (
        _Source("nodeConfig.serviceAccount", _ACCOUNT, "email"),
        _Source("placementPolicy.policyName", _POLICY, "name"),
        _Source(f"{_NETWORKS}[].network", NETWORK, "name"),
        _Source(f"{_NETWORKS}[].subnetwork", SUBNETWORK, "name"),
    ),
    LUSTRE: (_Source("network", _PEERING, "network"),),
    REDIS: (_Source("authorizedNetwork", _PEERING, "network"),),
    SUBNETWORK: (_Source("network", NETWORK, "name"),),
}


def going_with(root: Recorded, record: Record) -> Iterator[Recorded]:
    """What is guarded, on record, and deleted before the root is."""
    for it in record.resources:
        if any(_comes_from(root, it, source) for source in SOURCES.get(it.type, ())):
            yield it


def _comes_from(root: Recorded, it: Recorded, source: _Source) -> bool:
    if root.type != source.token or not (given := value_at(root.outputs, source.output)):
        return False
    return any(same_value(_short(given), _short(one)) for one in _values(it.outputs, source.path))


def _values(outputs: Mapping[str, Any], path: str) -> Iterator[Any]:
    """The value at a path, of each item where the path has a list."""
    before, _, after = path.partition("[].")
    found = value_at(outputs, before)
    for one in found or () if after else (found,):
        value = value_at(one, after) if after else one
        if value is not None:
            yield value


def _short(value: Any) -> str:
    """Google gives some back by their whole path."""
    return str(value).rpartition("/")[2]
