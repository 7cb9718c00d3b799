"""Where `--json` writes."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox.errors import UserError


def check_json_file(file: Path | None) -> None:
    """Raises UserError for a place that cannot be written to, before any work is done for it."""
    if file is None:
        return
    folder = file.resolve().parent
    if file.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        what = "is a folder" if file.is_dir() else f"cannot be written: {folder} is no folder"
        raise UserError(f"--json: {file}: {what}; nearest: {Path(file.name or 'run.json').name}")
