"""Room on the disk, asked for before a run; files that are replaced whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from cli.errors import UserError

# State and simulated cloud of the largest stack are some MiB, and each is written beside itself.
NEEDED_MIB = 64


def require_room(folder: Path) -> None:
    """Raises UserError where a run could end in the middle of a file."""
    free = shutil.disk_usage(folder).free // 1024**2
    if free < NEEDED_MIB:
        raise UserError(
            f"--folder: {folder.name}: its disk has {free} MiB left, and a run may need "
            f"{NEEDED_MIB}; nearest: make room, or give another --folder"
        )


def replace_file(file: Path, text: str) -> None:
    """Write a file so that a reader never sees half of it."""
    draft = file.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, file)
