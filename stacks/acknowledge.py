"""A destructive change that is agreed to. No Pulumi import."""

import json
import re
from typing import Annotated

from pydantic import Field

from stacks.types import Block

ResourceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*$", max_length=200)]
PropertyPath = Annotated[str, Field(pattern=r"^[A-Za-z][\w.\[\]\"*/-]*$", max_length=200)]
# The property that causes the delete of a resource that the program no longer has.
REMOVED = "removed"
_PLAIN = re.compile(r"[A-Za-z][\w.-]*")
_WORDS_OF_YAML = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


class Acknowledge(Block, frozen=True):
    """A destructive change that is agreed to."""

    resource: ResourceName
    """The resource, by the name that a preview shows."""
    property: PropertyPath
    """What causes its replacement; `removed` for a resource that the program no longer has."""


def entry(resource: str, path: str) -> str:
    """An entry of `acknowledge` as it stands in the config's YAML."""
    return f"{{resource: {_scalar(resource)}, property: {_scalar(path)}}}"


def _scalar(text: str) -> str:
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    return text if plain else json.dumps(text)
