"""`make given-back PROVIDER=FOLDER` takes a clone of the provider, bare or not, which may end in
`@REVISION`, and says which rows of `kept` in sandbox/data/given-back.yaml the provider's schema
does not have where they say, or not as optional and computed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from sandbox.cloud.given_back import GivenBack

_SERVICES = "google-beta/services"
_PLACE = re.compile(r"(\S+\.go):(\d+)")
_ENTRY = re.compile(r'\s*"([a-z0-9_]+)":\s*(?:(\w+)(?:\(\))?,)?')


def not_held(table: GivenBack, read: Callable[[str], str]) -> Iterator[str]:
    """Rows of `kept` that the provider's schema does not have as optional and computed; `read` is
    given a file's path."""
    for token, one in table.types.items():
        for path, source in one.kept.items():
            place = _PLACE.match(source)
            lines = read(f"{_SERVICES}/{place[1]}").splitlines() if place else []
            if place and not _is_kept(lines, int(place[2]) - 1, path.rpartition(".")[2]):
                yield f"{token} {path}: not at {source}"


def _is_kept(lines: Sequence[str], at: int, name: str) -> bool:
    entry = _ENTRY.match(lines[at]) if at < len(lines) else None
    if entry is None or _pulumi_names(entry[1]).isdisjoint({name}):
        return False
    if entry[2] is not None:
        # The schema is that of a function.
        at = next((n for n, it in enumerate(lines) if f"func {entry[2]}(" in it), len(lines))
        if at == len(lines):
            return True
    # What is deeper is that of fields in the block.
    block = lines[at + 1 : at + 16]
    inner = next(
        (n for n, it in enumerate(block) if "Elem:" in it and it.endswith("{")), len(block)
    )
    text = " ".join(block[:inner])
    return all(re.search(rf"{it}:\s+true", text) for it in ("Optional", "Computed"))


def _pulumi_names(name: str) -> set[str]:
    """As the bridge calls an input of the provider's: a list in the plural."""
    first, *rest = name.split("_")
    one = first + "".join(map(str.capitalize, rest))
    return {one, f"{one}s"}


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        print("error: no clone of the provider; nearest: make given-back PROVIDER=FOLDER")
        return 1
    found = list(not_held(GivenBack.load(), _reader(arguments[0])))
    print("\n".join(found) or "each row of `kept` is where it says")
    return 1 if found else 0


def _reader(where: str) -> Callable[[str], str]:
    folder, _, revision = where.partition("@")

    @cache
    def read(file: str) -> str:
        command = ["git", "-C", folder, "show", f"{revision or 'HEAD'}:{file}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return read


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
