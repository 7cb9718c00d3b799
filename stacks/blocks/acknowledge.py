"""A destructive change that is agreed to. No Pulumi import."""

from typing import Annotated

from pydantic import Field

from stacks.blocks.block import Block

ResourceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*$", max_length=200)]
PropertyPath = Annotated[str, Field(pattern=r"^[A-Za-z][\w.\[\]\"*/-]*$", max_length=200)]
# The property that causes the delete of a resource that the program no longer has.
REMOVED = "removed"


class Acknowledge(Block, frozen=True):
    """`resource` is the name that a preview shows, `property` what causes its replacement.

    `property` is `removed` for a resource that the program no longer has.
    """

    resource: ResourceName
    property: PropertyPath
