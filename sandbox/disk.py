"""Room on the disk: asked for before a run, and a little held back for when it runs out."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from cli.errors import UserError

# State, its copies and the simulated cloud of the largest stack take about 6 MiB.
NEEDED_MIB = 64
# The simulated cloud of the largest stack is 0.3 MiB, and is written beside itself.
_RESERVE_BYTES = 1024 * 1024
_FULL = (errno.ENOSPC, errno.EDQUOT)


def require_room(folder: Path) -> None:
    """Raises UserError where a run could end in the middle of a file."""
    free = shutil.disk_usage(folder).free // 1024**2
    if free < NEEDED_MIB:
        raise UserError(
            f"--folder: {folder.name}: its disk has {free} MiB left, and a run may need "
            f"{NEEDED_MIB}; nearest: make room, or give another --folder"
        )


def hold_reserve(folder: Path) -> None:
    """Take the blocks of a file that is there to be deleted."""
    file = folder / "reserve"
    if not file.exists():
        file.write_bytes(bytes(_RESERVE_BYTES))


def replace_file(file: Path, text: str) -> None:
    """Write a file so that a reader never sees half of it; a full disk gives the reserve up."""
    draft = file.with_suffix(".draft")
    try:
        draft.write_text(text, encoding="utf-8")
    except OSError as error:
        reserve = file.parent / "reserve"
        if error.errno not in _FULL or not reserve.exists():
            draft.unlink(missing_ok=True)
            raise
        reserve.unlink()
        draft.write_text(text, encoding="utf-8")
    os.replace(draft, file)
