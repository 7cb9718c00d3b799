"""Files that a user has a command write."""

from pathlib import Path

from cli.errors import UserError


def require_own(option: str, file: Path | None, begins: str) -> None:
    """That what is there is a file of the same command, which `begins` so: a misspelt name may be
    that of a config. Raises UserError."""
    if file is None or not file.is_file():
        return
    with file.open("rb") as stream:
        found = stream.read(len(begins.encode()))
    if found and found != begins.encode():
        raise UserError(
            f"{option}: {file}: there is a file with something else in it, which would be lost; "
            "nearest: another name"
        )
