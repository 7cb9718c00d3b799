"""Which inputs of a resource cannot be changed in place."""

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_network

from .table import Table

_PLACE = re.compile(r"\[\d+\]")
_KEY = re.compile(r'\["(?:[^"\\]|\\.)*"\]')

_REDIS = re.compile(r"REDIS_(\d+)_(\d+|X)")


class ReplacingTable(Table):
    """Paths by resource type, without the places of lists; `.*` is any key of a map."""

    inputs: dict[str, frozenset[str]]
    by_value: dict[str, frozenset[str]]

    def replaces(self, token: str, path: str) -> bool:
        """Whether a change at a path such as `nodeConfig.taints[0].key` makes the resource anew."""
        known = self.inputs.get(token, frozenset[str]())
        plain = _KEY.sub(".*", _PLACE.sub("", path))
        return plain in known or f"{plain.rpartition('.')[0]}.*" in known

    def may_replace(self, token: str, path: str, old: object, new: object) -> bool:
        """Whether this change of it does; one of values that are not known may."""
        if path in self.by_value.get(token, ()):
            stays = _IN_PLACE.get((token, path))
            return stays is None or not stays(old, new)
        return self.replaces(token, path)


def _is_wider(old: object, new: object) -> bool:
    try:
        before, after = ip_network(str(old)), ip_network(str(new))
    except ValueError:
        return False
    return after.version == before.version and after.supernet_of(before)  # type: ignore[arg-type]


def _is_later(old: object, new: object) -> bool:
    """Of a version such as REDIS_6_X the provider takes none for lower."""
    before, after = (_REDIS.fullmatch(str(it)) for it in (old, new))
    if before is None or after is None:
        return False
    numbers = [f"{it[1]}.{it[2]}" for it in (before, after)]
    return "X" in "".join(numbers) or float(numbers[1]) >= float(numbers[0])


# By type and input the changes that the provider makes in place; sources are beside `by_value`.
_IN_PLACE: Mapping[tuple[str, str], Callable[[object, object], bool]] = {
    ("gcp:compute/subnetwork:Subnetwork", "ipCidrRange"): _is_wider,
    ("gcp:redis/instance:Instance", "redisVersion"): _is_later,
}
