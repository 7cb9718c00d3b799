"""How long the cloud takes for each operation, from a dated table (durations.yaml)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

TABLE = Path(__file__).parent / "durations.yaml"


class Durations:
    """Seconds by resource type and operation."""

    def __init__(self, table: dict[str, Any]) -> None:
        self._table = table

    @staticmethod
    @cache
    def load() -> Durations:
        return Durations(yaml.safe_load(TABLE.read_text())["durations"])

    def seconds(self, token: str, operation: str) -> float:
        return float(self._table.get(token, self._table["default"])[operation])
