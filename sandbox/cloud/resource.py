"""One resource of the simulated cloud."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class Resource:
    """One resource as the cloud holds it; `inputs` are the properties that its owner set."""

    token: str
    id: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.inputs.get(name)
