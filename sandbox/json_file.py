"""Where `--json` writes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

from cli.errors import UserError
from cli.output_file import require_own

# As everywhere: what else would be printed there goes to standard error.
STANDARD_OUTPUT = Path("-")


def check_json_file(file: Path | None) -> None:
    """Raises UserError for a place that cannot be written to, before any work is done for it."""
    if file is None or file == STANDARD_OUTPUT:
        return
    folder = file.resolve().parent
    if file.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        what = "is a folder" if file.is_dir() else f"cannot be written: {folder} is no folder"
        raise UserError(f"--json: {file}: {what}; nearest: {Path(file.name or 'run.json').name}")
    require_own("--json", file, "{")


@contextmanager
def json_output(file: Path | None) -> Iterator[Callable[[Any], None]]:
    """A function that writes one object to the file, or does nothing where there is none. Raises
    UserError as `check_json_file` does."""
    check_json_file(file)
    output = sys.stdout
    aside = redirect_stdout(sys.stderr) if file == STANDARD_OUTPUT else nullcontext()

    def write(value: Any) -> None:
        text = json.dumps(value, indent=2) + "\n"
        if file == STANDARD_OUTPUT:
            output.write(text)
        elif file is not None:
            file.write_text(text)

    with aside:
        yield write
