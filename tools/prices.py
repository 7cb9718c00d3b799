"""Writes catalog/data/machine_prices/billing_catalog.yaml from a local copy of another project's.

`make prices FILE=PATH COMMIT=COMMIT` takes the list prices in Cyclenerd's `pricing.yml`, which that
project reads from Google's Cloud Billing Catalog: of the machine types that the catalog knows, in
the regions of the zones that offer them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from catalog import Catalog
from catalog.prices import BOOKS, Way
from catalog.strict_yaml import read_yaml

BOOK = BOOKS / "billing_catalog.yaml"
_SOURCE = (
    "Cyclenerd/google-cloud-pricing-cost-calculator pricing.yml, of Google's Cloud Billing Catalog"
)
# Its build/gcp.yml adds the local SSD that these machines always have.
_WITH_LOCAL_SSD = ("a3-highgpu-8g", "a3-megagpu-8g")
_DISKS = {"pd-standard": "hdd", "pd-balanced": "balanced", "pd-ssd": "ssd"}
_HOUR = {Way.ON_DEMAND: "hour", Way.SPOT: "hour_spot"}
_MONTH = {Way.ON_DEMAND: "month", Way.SPOT: "month_spot"}
_WIDTH, _DIGITS = 100, 4


def book(found: Mapping[str, Any], commit: str, catalog: Catalog, read: date) -> str:
    """The table's text. `found` is the whole of `pricing.yml`, looked up on the day `read`."""
    made = datetime.fromtimestamp(found["about"]["timestamp"], UTC).date()
    machines, storage = found["compute"]["instance"], found["compute"]["storage"]
    lines = [
        "# USD, written by `make prices`. List prices.",
        f"source: >-\n  {_SOURCE},\n  {commit}",
        f"date: {made}",
        f"read: {read}",
        f"with_local_ssd: [{', '.join(_WITH_LOCAL_SSD)}]",
        "",
        "machine_types:",
    ]
    for name in catalog.machines:
        if name in machines:
            regions = _regions(catalog.zones_offering(name))
            lines += [f"  {name}:", *_ways(machines[name]["cost"], regions, _HOUR)]
    everywhere = _regions(catalog.zones)
    lines += ["", "disk_gib_month:"]
    for name, key in _DISKS.items():
        lines += _prices(name, storage[key]["cost"], everywhere, "month", "  ")
    lines += ["", "local_ssd_gib_month:"]
    lines += [line[2:] for line in _ways(storage["local"]["cost"], everywhere, _MONTH)]
    lines.append("")
    buckets = found["storage"]["bucket"]["standard"]["cost"]
    lines += _prices("bucket_gib_month", buckets, everywhere, "month", "")
    return "\n".join(lines) + "\n"


def _regions(zones: Iterable[str]) -> list[str]:
    return sorted({it.rpartition("-")[0] for it in zones})


def _ways(
    costs: Mapping[str, Any], regions: Iterable[str], columns: Mapping[Way, str]
) -> Iterator[str]:
    for way, column in columns.items():
        yield from _prices(way, costs, regions, column, "    ")


def _prices(
    name: str, costs: Mapping[str, Any], regions: Iterable[str], column: str, indent: str
) -> Iterator[str]:
    """A mapping from region to price, broken into lines. A price of 0 is one that is not known."""
    known = {it: costs[it][column] for it in regions if costs.get(it, {}).get(column)}
    if not known:
        return
    yield f"{indent}{name}:"
    line = f"{indent}  {{"
    for number, (region, usd) in enumerate(known.items(), 1):
        word = f"{region}: {round(usd, _DIGITS)}" + ("}" if number == len(known) else ",")
        if len(line) + len(word) + 1 > _WIDTH:
            yield line.rstrip()
            line = f"{indent}   "
        line += word if line.endswith("{") else f" {word}"
    yield line


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.prices", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("commit")
    given = parser.parse_args()
    today = datetime.now(UTC).date()
    text = book(read_yaml(given.file), given.commit, Catalog.load(), today)
    BOOK.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
