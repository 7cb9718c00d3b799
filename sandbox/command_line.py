"""How a command line of the project ends: an error in a line, never a traceback for a mistake."""

from __future__ import annotations

import sys

import typer

from sandbox.errors import UserError


def run_app(app: typer.Typer) -> int:
    """Run the command line; the exit code is 0 only when the operation succeeded."""
    try:
        # Without standalone mode, typer gives back a command's exit code instead of leaving.
        return int(app(standalone_mode=False) or 0)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{error.strerror or error}", file=sys.stderr)
    except Exception as error:
        if type(error).__module__.startswith(("click", "typer")):
            # Without a word it is asked what words there are.
            asks = type(error).__name__ == "NoArgsIsHelpError"
            said = error.format_message()  # type: ignore[attr-defined]
            print(said if asks else f"error: {said}", file=sys.stderr)
            return 2
        raise
    return 1
