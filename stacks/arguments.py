"""The arguments of a resource or of a hook, as plain values."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.output import Unknown

from stacks.property_paths import UNKNOWN, Secret


async def plain(value: Any) -> Any:
    """A value without outputs; what is not known yet is UNKNOWN, and what is secret stays so."""
    if isinstance(value, pulumi.Output):
        output: pulumi.Output[Any] = value
        if not await output.is_known():
            return UNKNOWN
        known = await plain(await output.future(True))
        return Secret(known) if await output.is_secret() else known
    if isinstance(value, Unknown):
        return UNKNOWN
    if isinstance(value, Mapping):
        return {key: await plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [await plain(inner) for inner in value]
    return value
