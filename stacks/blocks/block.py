"""What every part of a stack config has in common."""

from pydantic import BaseModel


class Block(BaseModel, frozen=True, extra="forbid"):
    """Read-only, and a key that it does not have is a mistake."""
