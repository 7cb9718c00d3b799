"""How a run of the program tells what started it that it waits for its platform, and for nothing
else: by a file, for the words of an error repeat what a config says. No Pulumi import."""

from __future__ import annotations

import os
from pathlib import Path

# Of the environment: where the file is to be.
VARIABLE = "AI_STACKS_WAITS_FILE"


def note() -> None:
    """Make the file, where somebody asks for one."""
    if place := os.environ.get(VARIABLE):
        Path(place).touch()
