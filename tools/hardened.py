"""docs/hardened.md: what `hardened` closes, and what stacks do of the CIS benchmark for GKE.

`make inventory` writes its tables from catalog/data/; `--check` says instead whether those that are
there are the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from catalog.cis_gke import CisGkeTable, Recommendation, State
from catalog.customer_keys import customer_keys
from catalog.table import load_table
from tools.written_page import table_row, write_or_check

PAGE = Path(__file__).resolve().parent.parent / "docs" / "hardened.md"
_SHOWN = {
    State.MET: "met",
    State.HARDENED: "`hardened`",
    State.KEY: "by key",
    State.GKE: "GKE's",
    State.NOT: "not",
}
# What a reader is told; the rest every stack meets, or Google.
_TOLD = (State.HARDENED, State.KEY, State.NOT)


def _key_lines() -> Iterator[str]:
    """Of each service that uses keys: what it encrypts, and by whose identity."""
    yield table_row("what", "identity, after `service-NUMBER@`")
    yield table_row(*["---"] * 2)
    for one in customer_keys().services.values():
        yield table_row(one.encrypts, f"`{one.account}.iam.gserviceaccount.com`")


def page() -> str:
    """The page with both tables between their markers."""
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in (("identities", _key_lines()), ("benchmark", _benchmark_lines())):
        marker = f"<!-- {name} -->"
        before, _, after = text.split(marker)
        table = "\n".join(lines)
        text = f"{before}{marker}\n\n{table}\n\n{marker}{after}"
    return text


def _benchmark_lines() -> Iterator[str]:
    table = load_table(CisGkeTable, "cis_gke")
    counts = Counter(it.state for it in table.rows.values())
    counted = ", ".join(f"{counts[it]} {_SHOWN[it]}" for it in State)
    yield f"Of {len(table.rows)} recommendations of version {table.version}: {counted}."
    yield f"Newer versions, whose rows are not looked at: {', '.join(table.newer)}."
    yield ""
    yield table_row("row", "what", "state", "key", "how, or why not")
    yield table_row(*["---"] * 5)
    yield from (_row(number, it) for number, it in table.rows.items() if it.state in _TOLD)


def _row(number: str, it: Recommendation) -> str:
    keys = ", ".join(f"`{key}`" for key in it.by.split(", ") if key)
    return table_row(number, it.what, _SHOWN[it.state], keys, it.why)


def main(arguments: Sequence[str]) -> int:
    remedy = "docs/hardened.md is not what the table says; nearest: make inventory"
    return write_or_check(PAGE, page(), arguments, remedy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
