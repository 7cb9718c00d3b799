"""What a change to the program does to every stack, found by the engine with no cloud account."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.app import run_app
from review.command import run_review
from stacks.commands import aistack

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None)


@app.command()
def review(
    base: Annotated[str, typer.Option(help="The commit to compare with: main, HEAD~1.")],
    stack: Annotated[
        list[str] | None, typer.Option("--stack", "-s", help="Only these stacks.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the comment here.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write a summary object here.")
    ] = None,
) -> None:
    """Show what the working tree would do to every stack of a commit; 3: something is lost."""
    # The engine and its SDK cost about a second to import: `--help` does without.

    if code := run_review(base, stack or [], markdown, json_file):
        raise typer.Exit(code)


def main() -> int:
    return run_app(app, program=f"{aistack()} review")


if __name__ == "__main__":
    sys.exit(main())
