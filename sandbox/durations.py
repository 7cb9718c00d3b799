"""How long the cloud takes for each operation, from a dated table (durations.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from catalog.table import read_yaml

TABLE = Path(__file__).parent / "durations.yaml"


class Durations:
    """Seconds by resource type and operation."""

    def __init__(self, table: dict[str, Any]) -> None:
        self._table = table

    @staticmethod
    @cache
    def load() -> Durations:
        return Durations(read_yaml(TABLE)["durations"])

    def seconds(self, token: str, operation: str, inputs: Mapping[str, Any] | None = None) -> float:
        """`inputs` may say that Pulumi does not wait for the object to be ready."""
        known = self._table["default"] if _unawaited(inputs or {}) else self._table.get(token)
        return float((known or self._table["default"])[operation])


def _unawaited(inputs: Mapping[str, Any]) -> bool:
    metadata = inputs.get("metadata")
    notes = metadata.get("annotations") if isinstance(metadata, dict) else None
    return isinstance(notes, dict) and (
        notes.get("pulumi.com/skipAwait") == "true"
        or notes.get("pulumi.com/waitFor") == "jsonpath={.metadata.uid}"
    )
