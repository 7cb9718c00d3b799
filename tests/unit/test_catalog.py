"""The catalog's tables hold together, and a config can add to them.

Pure tests over the data as committed: they cannot show that Google still has what the data says.
"""

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

import catalog as catalog_package
from catalog import (
    Catalog,
    CatalogAdditions,
    FactError,
    GkeVersion,
    PriceRange,
    Way,
)
from catalog.prices import BOOKS, books
from catalog.table import DATA
from catalog.zones import ZoneAddition

CATALOG = Catalog.load()


# The package


def test_the_catalog_needs_no_pulumi() -> None:
    code = "import catalog, sys; catalog.Catalog.load().machines; print('pulumi' in sys.modules)"
    root = Path(catalog_package.__path__[0]).parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("path", [*sorted(DATA.glob("*.yaml")), *sorted(BOOKS.glob("*.yaml"))])
def test_every_table_says_where_its_facts_come_from_and_when_they_were_read(path: Path) -> None:
    table = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert table["source"]
    assert date(2024, 1, 1) < table["date"]


def test_the_catalog_loads_once_and_cannot_be_changed() -> None:
    assert Catalog.load() is CATALOG
    with pytest.raises(ValidationError, match="frozen"):
        CATALOG.additions = CatalogAdditions()
    with pytest.raises(ValidationError, match="frozen"):
        CATALOG.machine("a4-highgpu-8g").vcpus = 1


# What a config adds


def new_machine(**changes: object) -> dict[str, object]:
    return {"vcpus": 8, "memory_gib": 32, "boot_disk_types": ["hyperdisk-balanced"], **changes}


def test_a_config_adds_a_machine_type_and_a_zone_that_has_it() -> None:
    additions = CatalogAdditions.model_validate(
        {
            "machine_types": {"z9-standard-8": new_machine(minimum_gke="1.40")},
            "zones": {"us-east1-ai1b": {"offers": ["z9-standard-8"], "lustre": True}},
        }
    )
    grown = CATALOG.extended(additions)
    assert grown.machine("z9-standard-8").minimum_gke == GkeVersion(1, 40)
    assert grown.zones_offering("z9-standard-8") == ("us-east1-ai1b",)
    assert grown.region_of("us-east1-ai1b") == "us-east1"
    grown.check_lustre_zone("us-east1-ai1b")
    assert "z9-standard-8" not in CATALOG.machines


def test_a_config_adds_an_offer_to_a_known_zone_and_keeps_the_rest() -> None:
    more = CatalogAdditions(zones={"us-east1-c": ZoneAddition(offers=("a4-highgpu-8g",))})
    grown = CATALOG.extended(more)
    assert grown.offers("us-east1-c", "a4-highgpu-8g")
    assert grown.offers("us-east1-c", "g2-standard-4")
    assert grown.roce_profile("us-east1-c") == "us-east1-c-vpc-roce"
    assert not CATALOG.offers("us-east1-c", "a4-highgpu-8g")


def test_additions_stack() -> None:
    first = CATALOG.extended(
        CatalogAdditions.model_validate({"machine_types": {"z9-standard-8": new_machine()}})
    )
    second = first.extended(
        CatalogAdditions(zones={"us-east1-c": ZoneAddition(offers=("z9-standard-8",))})
    )
    assert second.offers("us-east1-c", "z9-standard-8")


def test_a_zone_cannot_offer_a_machine_type_that_nobody_knows() -> None:
    wrong = CatalogAdditions(zones={"us-east1-c": ZoneAddition(offers=("a4-highgpu-88g",))})
    with pytest.raises(FactError, match=re.escape('"catalog.machine_types"') + "$") as caught:
        CATALOG.extended(wrong)
    message = str(caught.value)
    assert "nearest: a4-highgpu-8g" in message


@pytest.mark.parametrize(
    ("additions", "field"),
    [
        ({"machine_typs": {}}, "machine_typs"),
        ({"machine_types": {"z9-a-8": new_machine(vcpu=8)}}, "vcpu"),
        ({"machine_types": {"z9-a-8": new_machine(memory_gib=0)}}, "memory_gib"),
        ({"machine_types": {"z9-a-8": new_machine(name="other")}}, "name"),
        ({"machine_types": {"z9-a-8": new_machine(minimum_gke="new")}}, "minimum_gke"),
        ({"zones": {"us-east1": {"offers": []}}}, "us-east1"),
        ({"zones": {"us-east1-b": {"offer": []}}}, "offer"),
    ],
)
def test_a_wrong_addition_names_its_field(additions: dict[str, object], field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        CatalogAdditions.model_validate(additions)


# Prices


def test_prices_are_of_machine_types_regions_and_tiers_that_exist() -> None:
    regions = {zone.rpartition("-")[0] for zone in CATALOG.zones}
    for book in books():
        for name, ways in book.machine_types.items():
            CATALOG.machine(name)
            assert all(regions.issuperset(prices) for prices in ways.values()), name
    for mbps in CATALOG.prices.lustre_gib_month:
        CATALOG.lustre_tier(mbps)
    assert CATALOG.prices.cluster_hour.low == pytest.approx(0.10)


def test_spot_is_cheaper_than_on_demand_wherever_one_book_has_both() -> None:
    for book in books():
        for name, ways in book.machine_types.items():
            on_demand = ways.get(Way.ON_DEMAND, {})
            for region, spot in ways.get(Way.SPOT, {}).items():
                assert spot < on_demand.get(region, float("inf")), (name, region)


def test_an_unknown_price_is_absent_and_never_zero() -> None:
    assert CATALOG.machine_rate("h4d-standard-192", Way.ON_DEMAND, "us-central1") is None
    with pytest.raises(ValidationError, match="greater than 0"):
        PriceRange(low=0, high=1)


def test_a_price_range_starts_with_its_lower_end() -> None:
    with pytest.raises(ValidationError, match=r"low 2.0 is above high 1.0"):
        PriceRange(low=2, high=1)


def test_the_price_of_an_unknown_machine_or_tier_is_an_error() -> None:
    with pytest.raises(FactError, match=re.escape('"catalog.machine_types"') + "$"):
        CATALOG.machine_rate("a4-highgpu-9g", Way.SPOT, "us-central1")
    with pytest.raises(FactError, match=r"nearest: 500, 1000$"):
        CATALOG.lustre_price(750, "us-central1")
