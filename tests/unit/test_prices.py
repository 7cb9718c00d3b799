"""Prices where the presets are, the pages that print them, and how the table is made of another
project's. That Google asks for them is not tested: they are of dated tables."""

import re
from pathlib import Path

import pytest
import yaml

from catalog import Catalog, Way
from catalog.prices import BOOKS, books, bucket_rate, disk_rate
from catalog.table import read_yaml
from tools.prices import BOOK, book

ROOT = Path(__file__).parent.parent.parent
PRESETS = {path.name: path.read_text() for path in sorted(ROOT.glob("Pulumi.*.yaml"))}
PAGES = {
    path.name: path.read_text()
    for path in sorted((ROOT / "docs").glob("*.md"))
    if "catalog's dated tables" in path.read_text()
}
CATALOG = Catalog.load()
# Machines in the form of the other project, of which one is not known here, and so is a region.
OTHERS = {
    "about": {"timestamp": 1784181958},
    "compute": {
        "instance": {
            "g2-standard-8": {
                "cost": {
                    "us-central1": {"hour": 0.853624684, "hour_spot": 0.436},
                    "mars-north1": {"hour": 9.0, "hour_spot": 9.0},
                    "us-east4": {"hour": 0.85, "hour_spot": 0},
                }
            },
            "z9-huge": {"cost": {"us-central1": {"hour": 1.0}}},
        },
        "storage": {
            "hdd": {"cost": {"us-east1": {"month": 0.04}}},
            "balanced": {"cost": {"us-east1": {"month": 0.1}}},
            "ssd": {"cost": {"us-east1": {"month": 0.17}}},
            "local": {"cost": {"us-east1": {"month": 0.08, "month_spot": 0.0389}}},
        },
    },
    "storage": {"bucket": {"standard": {"cost": {"us-east1": {"month": 0.02}}}}},
}
# N x machine, on demand or spot | hourly price
LINE = re.compile(r"^\| (\d+) x ([a-z0-9-]+)(?:,? (on demand|spot))? +\| ([\d.]+(?: to [\d.]+)?) ")


@pytest.mark.parametrize("preset", PRESETS)
def test_the_machines_of_a_preset_have_a_price_of_their_region(preset: str) -> None:
    region = yaml.safe_load(PRESETS[preset])["config"]["gcp:region"]
    named = set(re.findall(r"machine_type: ([\w-]+)", PRESETS[preset]))
    # What a CPU pool is by default.
    for machine in named | {"e2-standard-4"}:
        rates = [CATALOG.machine_rate(machine, way, region) for way in Way]
        assert any(it and not it.elsewhere for it in rates), f"{machine} has no price in {region}"
    for rate in (disk_rate("pd-balanced", region), bucket_rate(region)):
        assert rate is not None
        assert not rate.elsewhere


@pytest.mark.parametrize("page", PAGES)
def test_a_page_prints_the_prices_of_the_table_in_its_region(page: str) -> None:
    costs = PAGES[page].partition("\n## Costs")[2]
    named = re.search(r"USD an hour, in ([a-z0-9-]+)\)", costs)
    assert named, "the page names no region"
    lines = [found for line in costs.splitlines() if (found := LINE.match(line))]
    assert lines
    for count, machine, how, printed in (it.groups() for it in lines):
        way = Way.SPOT if how == "spot" else Way.ON_DEMAND
        each = CATALOG.machine_rate(machine, way, named[1])
        assert each is not None
        assert not each.elsewhere
        assert printed == f"{int(count) * each.low:.2f}", machine


def test_of_a_region_holds_the_newest_book_that_has_it() -> None:
    dates = [it.date for it in books()]
    assert dates == sorted(dates, reverse=True)
    for way in (Way.SPOT, Way.ON_DEMAND):
        having = [
            (it.date, prices["us-central1"])
            for it in books()
            if "us-central1" in (prices := it.machine_types.get("g2-standard-8", {}).get(way, {}))
        ]
        rate = CATALOG.machine_rate("g2-standard-8", way, "us-central1")
        assert rate is not None
        assert len(having) > 1
        assert (rate.date, rate.low) == having[0]


def test_without_a_price_of_the_region_there_is_the_range_of_the_newest_of_all_others() -> None:
    rate = CATALOG.machine_rate("e2-standard-4", Way.ON_DEMAND, "mars-north1")
    assert rate is not None
    regions = {zone.rpartition("-")[0] for zone in CATALOG.zones}
    known = [CATALOG.machine_rate("e2-standard-4", Way.ON_DEMAND, it) for it in regions]
    assert rate.elsewhere
    assert (rate.low, rate.high) == (
        min(it.low for it in known if it),
        max(it.high for it in known if it),
    )


def test_the_book_of_another_projects_prices_has_what_the_catalog_knows(tmp_path: Path) -> None:
    file = tmp_path / "book.yaml"
    file.write_text(book(OTHERS, "c0ffee", CATALOG))
    found = read_yaml(file)
    assert found["date"].isoformat() == "2026-07-16"
    assert found["source"].endswith(" c0ffee")
    assert found["machine_types"] == {
        "g2-standard-8": {
            "on_demand": {"us-central1": 0.8536, "us-east4": 0.85},
            "spot": {"us-central1": 0.436},
        }
    }
    assert found["disk_gib_month"]["pd-balanced"] == {"us-east1": 0.1}
    assert found["local_ssd_gib_month"] == {
        "on_demand": {"us-east1": 0.08},
        "spot": {"us-east1": 0.0389},
    }
    assert found["bucket_gib_month"] == {"us-east1": 0.02}
    assert max(map(len, file.read_text().splitlines())) <= 120


def test_the_book_is_among_those_that_are_read() -> None:
    assert BOOK in BOOKS.glob("*.yaml")
