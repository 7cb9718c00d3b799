"""How long the cloud takes for each operation, from a dated table (durations.yaml), and before it
from a table of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .durations_table import Seconds, Table, read_table

TABLE = Path(__file__).parent / "data" / "durations.yaml"
# A table of the user's own beside Pulumi.yaml, as `aistack calibrate` writes it.
OWN = "durations.yaml"
_ANY = "default"
RAY_CLUSTER = "kubernetes:ray.io/v1:RayCluster"
# What is created once its pods run, whose images have tens of GB.
WITH_IMAGES = (RAY_CLUSTER, "kubernetes:batch/v1:Job")


class Durations:
    """Seconds by resource type and operation; `own` comes before the shipped table."""

    def __init__(self, shipped: Table, own: Table | None = None) -> None:
        self._tables = (shipped,) if own is None else (own, shipped)
        self._shipped = shipped
        self.own = own

    @staticmethod
    @cache
    def load() -> Durations:
        return Durations(read_table(TABLE))

    @staticmethod
    def of(project_folder: Path) -> Durations:
        """Those of a project. Raises TableError for a table that is wrong."""
        file = project_folder / OWN
        shipped = Durations.load()
        return Durations(shipped._shipped, read_table(file)) if file.exists() else shipped

    def span(
        self,
        token: str,
        operation: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        renews: bool = False,
    ) -> Seconds:
        """`inputs` may say that Pulumi does not wait for the object to be ready; an update may be
        one that `renews` a pool's nodes, one after the other."""
        known = inputs or {}
        if renews and (renewal := self.renewal(token, known)) is not None:
            return renewal
        if is_awaited(known):
            for table in self._tables:
                entry = table.durations.get(token)
                if entry is not None and (found := entry.of(operation, known)) is not None:
                    return found
        found = self._shipped.durations[_ANY].of(operation, {})
        assert found is not None
        return found

    def renewal(self, token: str, inputs: Mapping[str, Any]) -> Seconds | None:
        """Of all nodes of a pool; None of what has none."""
        entry = self._shipped.durations.get(token)
        if entry is None or entry.per_node is None:
            return None
        return entry.per_node.anew(inputs)

    def seconds(
        self,
        token: str,
        operation: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        renews: bool = False,
    ) -> float:
        """What the simulation runs with."""
        return self.span(token, operation, inputs, renews=renews).likely


def is_awaited(inputs: Mapping[str, Any]) -> bool:
    """Whether Pulumi waits until the object is ready."""
    metadata = inputs.get("metadata")
    notes = metadata.get("annotations") if isinstance(metadata, dict) else None
    return not isinstance(notes, dict) or not (
        notes.get("pulumi.com/skipAwait") == "true"
        or notes.get("pulumi.com/waitFor") == "jsonpath={.metadata.uid}"
    )
