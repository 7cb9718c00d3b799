"""Which operators a cluster has, and what each was run with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sandbox.control_plane.layout import Layout
from sandbox.control_plane.private_files import write_private

Operator = Literal["kueue", "ray-operator", "jobset"]
OPERATORS: tuple[Operator, ...] = ("kueue", "ray-operator", "jobset")


@dataclass(frozen=True)
class Installed:
    """The namespace of an operator's release, and its configuration as the release has it."""

    namespace: str
    configuration: Mapping[str, Any]


def install(layout: Layout, name: Operator, installed: Installed) -> None:
    write_private(layout.operator(name), json.dumps(asdict(installed), indent=2) + "\n")


def uninstall(layout: Layout, name: Operator) -> None:
    layout.operator(name).unlink(missing_ok=True)


def installed(layout: Layout) -> dict[Operator, Installed]:
    return {
        name: Installed(**json.loads(layout.operator(name).read_text()))
        for name in OPERATORS
        if layout.operator(name).exists()
    }
