"""Which inputs of a resource cannot be changed in place."""

import re

from catalog.table import Table

_PLACE = re.compile(r"\[\d+\]")
_KEY = re.compile(r'\["(?:[^"\\]|\\.)*"\]')


class ReplacingTable(Table):
    """Paths by resource type, without the places of lists; `.*` is any key of a map."""

    inputs: dict[str, frozenset[str]]
    by_value: dict[str, frozenset[str]]

    def replaces(self, token: str, path: str) -> bool:
        """Whether a change at a path such as `nodeConfig.taints[0].key` makes the resource anew."""
        known = self.inputs.get(token, frozenset[str]())
        plain = _KEY.sub(".*", _PLACE.sub("", path))
        return plain in known or f"{plain.rpartition('.')[0]}.*" in known

    def may_replace(self, token: str, path: str) -> bool:
        """Whether some change of it does."""
        return self.replaces(token, path) or path in self.by_value.get(token, ())
