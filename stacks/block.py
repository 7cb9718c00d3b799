"""What every part of a stack config has in common."""

from pydantic import BaseModel


class Block(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """Read-only, and a key that it does not have is a mistake.

    A string below a field is its description in the schema of configs.
    """
