"""docs/given-back.md: what Google gives back of each input that the program sends, by type.

`make inventory` writes the page from sandbox/data/given-back.yaml; `--check` says instead whether
the one that is there is the same. `make given-back PROVIDER=FOLDER` takes a clone of the provider,
bare or not, which may end in `@REVISION`, and says which rows of `kept` the provider's schema does
not have where they say, or not as optional and computed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from sandbox.cloud.given_back import GivenBack, TypeTable
from tools.written_page import table_row, write_or_check

PAGE = Path(__file__).resolve().parent.parent / "docs" / "given-back.md"
_SERVICES = "google-beta/services"
_PLACE = re.compile(r"(\S+\.go):(\d+)")
_ENTRY = re.compile(r'\s*"([a-z0-9_]+)":\s*(?:(\w+)(?:\(\))?,)?')
_INTRODUCTION = """# What Google gives back

A provider holds its program against its state, and in the state is what Google answered. An input
that Google does not give back as it was sent is a difference at every preview, and some of those
replace a resource; an input that is optional and computed stays what it is where the program leaves
it out, and no preview shows it. So each input that the program sends has a row in
[given-back.yaml](../sandbox/data/given-back.yaml), with its source where it is not given back as
sent; the sandbox answers, and compares, by these rows, and refuses an input that has none.

`make inventory` writes this page from those rows. `make given-back PROVIDER=FOLDER`, with a clone
of the provider, holds the rows of what is kept against the provider's schema.
"""
_TAKEN_AWAY = """
## What a config can take away

Where a block is optional and computed, leaving it out changes nothing. So what a config can take
away is either always sent, with the value that means off, or sent with that value once the stack
has it on record, or replaces the resource.
"""


_GOES = {
    "`addonsConfig.lustreCsiDriverConfig`, `addonsConfig.rayOperatorConfigs`": "always sent, as "
    "`enabled: false`",
    "`nodeConfig.gcfsConfig` (image streaming)": "always sent, as `enabled: false`",
    "`nodeConfig.labels`": "one label of the program's own is always there",
    "`masterAuthorizedNetworksConfig`": "once on record: `0.0.0.0/0`, which lets everybody in as "
    "none does; an empty block would let nobody in",
    "`authenticatorGroupsConfig`": "once on record: an empty group, which only an update takes",
    "`podAutoscaling`": "once on record: `NONE`",
    "`maintenancePolicy`": "once on record: a window of the whole day without exclusions, for the "
    "provider sends those that the cluster has back where there is no window",
    "`nodeConfig.guestAccelerators`, `networkConfig.acceleratorNetworkProfile`": "the pool is "
    "replaced, by a replacement trigger",
    "labels of a dashboard": "those of the config are not sent: the provider shows none that goes",
}


def page() -> str:
    """The page's whole text."""
    table = GivenBack.load()
    lines = [_INTRODUCTION, f"Read: {table.provider}, {table.date}."]
    lines += [_TAKEN_AWAY, table_row("what", "how it goes"), "| --- | --- |"]
    lines += [table_row(*row) for row in _GOES.items()]
    lines += ["", "## Rows that are not as sent", ""]
    lines += [table_row("type", "path", "Google's answer", "source"), "| --- | --- | --- | --- |"]
    for token, one in table.types.items():
        lines += [table_row(f"`{token.rpartition(':')[2]}`", *row) for row in _rows(one)]
    return "\n".join(lines) + "\n"


def _rows(one: TypeTable) -> Iterator[tuple[str, str, str]]:
    for path, left in one.left_out.items():
        beside = "" if left.beside is None else f" beside `{left.beside}`"
        yield f"`{path}`", f"left out{beside}", left.source
    for path, source in one.state_only.items():
        yield f"`{path}`", "none; the provider keeps what it was told", source
    for path, full in one.full_path.items():
        yield f"`{path}`", f"`{full.form}`; compared by {full.compared}", full.source
    for path, normal in one.normalised.items():
        yield f"`{path}`", f"in the form {normal.to}", normal.source
    for path, added in one.added_to.items():
        yield f"`{path}`", f"with `{', '.join(added.adds)}`, which is not shown", added.source
    for path, unasked in one.unasked.items():
        yield f"`{path}`", f"given unasked where {unasked.where}", unasked.source
    for path, shown in one.shown.items():
        yield f"`{path}`", f"its going is shown where `{shown.beside}` was", shown.source
    for path, source in one.unseen.items():
        yield f"`{path}`", "as sent; stays, unseen, where its block goes", source
    for path, compared in one.compared.items():
        yield f"`{path}`", f"as sent; compared by {compared.by}", compared.source


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
    if folders := [it for it in arguments if not it.startswith("--")]:
        read = _reader(folders[0])
        found = list(not_held(GivenBack.load(), read))
        print("\n".join(found) or "each row of `kept` is where it says")
        return 1 if found else 0
    remedy = "docs/given-back.md is not what the table says; nearest: make inventory"
    return write_or_check(PAGE, page(), arguments, remedy)


def _reader(where: str) -> Callable[[str], str]:
    folder, _, revision = where.partition("@")

    @cache
    def read(file: str) -> str:
        command = ["git", "-C", folder, "show", f"{revision or 'HEAD'}:{file}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return read


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
