"""Prices where the presets are, the pages that print them, and how the table is made of another
project's. That Google asks for them is not tested: they are of dated tables."""

import re
from datetime import date
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from catalog import Catalog, Way
from catalog.prices import BOOKS, PriceBook, Rate, books, bucket_rate, disk_rate
from catalog.strict_yaml import read_yaml
from tests.stacks import regions
from tests.stacks.page_costs import costs
from tools.prices import BOOK, book

ROOT = Path(__file__).parent.parent.parent
PRESETS = {path.name: path.read_text() for path in sorted(ROOT.glob("Pulumi.*.yaml"))}
COSTS = [
    f"{page}: {it}" for page in regions.pages() for it in regions.names(page) if "costs " in it
]
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
# What a run writes or compares, by its markers, and a review's example.
WRITTEN = re.compile(
    r"^<!-- ((?:costs|changes|first-steps|restarts|said|ways) .*|figures|preview|fit) -->$"
    r".*?^<!-- \1 -->$|^````markdown$.*?^````$",
    re.MULTILINE | re.DOTALL,
)
MONEY = re.compile(r"\d[\d,.]*\d USD|\d USD|USD \d[\d,.]*\d|USD \d|\| \d+\.\d\d \|")
# Pages that are written and compared whole, and by whom.
WHOLE = {"docs/node-room.md": "tools.node_room_page"}
# Google's own figures, and an example of a message.
OTHERS_SUMS = {
    "docs/dev.md": {"74.40 USD"},
    "docs/pull-requests.md": {"0.40 USD"},
}


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


@pytest.mark.parametrize("named", COSTS)
def test_a_page_prints_what_the_program_says_that_a_preset_costs(named: str) -> None:
    page, _, region = named.partition(": ")
    assert regions.shown(region, page) == "\n".join(costs(region.removeprefix("costs ")))


@pytest.mark.parametrize("page", [it for it in regions.pages() if it not in WHOLE])
def test_a_sum_of_money_on_a_page_stands_where_a_run_writes_it(page: str) -> None:
    found = MONEY.findall(WRITTEN.sub("", (ROOT / page).read_text(encoding="utf-8")))
    assert set(found) <= OTHERS_SUMS.get(page, set())


def test_such_a_sum_would_be_found() -> None:
    said = "It costs 6.38 USD, 1,200 to 1,300 USD a month, and USD 5; | 3 x g2 | 6.00 |."
    assert MONEY.findall(said) == ["6.38 USD", "1,300 USD", "USD 5", "| 6.00 |"]


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


@pytest.mark.parametrize(
    ("machine", "region", "day", "usd"),
    [
        # Google's page as it was quoted in September, above what another book has of March.
        ("a4-highgpu-8g", "us-central1", date(2026, 9, 17), 39.6336),
        ("a3-highgpu-8g", "us-central1", date(2026, 9, 17), 52.962),
        ("a3-highgpu-8g", "us-east4", date(2026, 7, 16), 34.5775),
        # Of no other book.
        ("a4-highgpu-8g", "us-east1", date(2026, 3, 5), 32.6064),
    ],
)
def test_a_price_that_was_read_late_does_not_hide_a_newer_figure(
    machine: str, region: str, day: date, usd: float
) -> None:
    rate = CATALOG.machine_rate(machine, Way.SPOT, region)
    assert rate is not None
    assert (rate.date, rate.low) == (day, usd)
    assert rate.read is None or rate.read > day


@pytest.mark.parametrize("book", books(), ids=lambda it: str(it.date))
def test_a_book_has_the_day_of_its_figures_and_that_of_its_reading(book: PriceBook) -> None:
    assert book.read is not None
    assert book.date <= book.read


@pytest.mark.parametrize(
    ("days", "why"),
    [
        ({"date": "2026-11-22", "read": "2026-11-21"}, "read 2026-11-21 is before the figures"),
        ({"date": "2026-11-22"}, "the date of its figures and the day of its reading"),
    ],
)
def test_a_book_with_one_day_or_with_days_the_wrong_way_round_is_refused(
    days: dict[str, str], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        PriceBook.model_validate({"source": "a page", **days})


def test_a_price_without_any_day_is_refused_and_one_of_an_undated_copy_says_so() -> None:
    with pytest.raises(ValidationError, match="neither date nor read"):
        Rate(low=1, high=1, source="a page")
    undated = Rate(low=1, high=1, source="a page", read=date(2026, 11, 21))
    assert str(undated) == "a page, of an unknown day, read 2026-11-21"


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
    file.write_text(book(OTHERS, "c0ffee", CATALOG, date(2026, 11, 26)))
    found = read_yaml(file)
    assert found["date"].isoformat() == "2026-07-16"
    assert found["read"].isoformat() == "2026-11-26"
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
