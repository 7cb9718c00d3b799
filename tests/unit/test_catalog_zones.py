"""Zones, and what they offer.

Pure tests over the data as committed: they cannot show that Google still has what the data says.
"""

import re

import pytest

from catalog import (
    Catalog,
    FactError,
)
from catalog.zones import ZoneTable

CATALOG = Catalog.load()


def test_the_scenario_s_zone_has_b200_lustre_and_a_roce_profile() -> None:
    assert CATALOG.offers("us-east1-b", "a4-highgpu-8g")
    CATALOG.check_offer("us-east1-b", "a4-highgpu-8g")
    CATALOG.check_lustre_zone("us-east1-b")
    assert CATALOG.roce_profile("us-east1-b") == "us-east1-b-vpc-roce"
    assert CATALOG.region_of("us-east1-b") == "us-east1"


def test_a_family_is_offered_where_its_exceptions_do_not_reach() -> None:
    assert CATALOG.offers("me-west1-b", "n1-standard-4")
    assert not CATALOG.offers("me-west1-a", "n1-standard-4")
    assert not CATALOG.offers("us-east5-a", "n1-standard-4")
    assert len(CATALOG.zones_offering("e2-standard-4")) == len(CATALOG.zones)


def test_zones_of_a_region_come_in_order() -> None:
    assert CATALOG.zones_in("us-east1") == ("us-east1-b", "us-east1-c", "us-east1-d")


def test_an_unknown_region_names_the_nearest() -> None:
    with pytest.raises(FactError, match=r"nearest: us-east5, us-east4, us-east1$"):
        CATALOG.zones_in("us-east9")


def test_an_unknown_zone_names_the_nearest() -> None:
    with pytest.raises(FactError, match=re.escape('under "catalog.zones"') + "$") as caught:
        CATALOG.zone("us-east1-x")
    message = str(caught.value)
    assert "nearest: us-east1-b, us-east1-c, us-east1-d" in message


def test_a_zone_without_the_machine_type_names_near_zones_that_have_it() -> None:
    with pytest.raises(
        FactError, match=re.escape('A newer offer can be added under "catalog.zones"') + "$"
    ) as caught:
        CATALOG.check_offer("us-west1-a", "a4-highgpu-8g")
    message = str(caught.value)
    assert "nearest: the zone us-west2-c, us-west3-b, us-west3-c" in message


def test_a_zone_without_lustre_names_near_zones_that_have_it() -> None:
    with pytest.raises(FactError, match=re.escape('say so under "catalog.zones"') + "$") as caught:
        CATALOG.check_lustre_zone("europe-west9-c")
    message = str(caught.value)
    assert "nearest: europe-west9-a, europe-west9-b, europe-west1-b" in message


def test_a_zone_without_rdma_machines_has_no_roce_profile() -> None:
    with pytest.raises(FactError, match=r"nearest: us-east1-b, us-east4-b, us-east5-a$"):
        CATALOG.roce_profile("us-east1-c")


def test_a_table_that_lists_a_zone_of_no_region_is_refused() -> None:
    table = ZoneTable.model_validate(
        {
            "source": "test",
            "date": "2026-01-01",
            "regions": {"us-east1": "bcd"},
            "ordinary_families": {},
            "offers": {"a4": {"zones": ["us-east1-x"], "source": "test"}},
            "lustre": {"zones": [], "scenario_zones": [], "source": "test"},
        }
    )
    with pytest.raises(FactError, match=r"nearest: us-east1-d, us-east1-c, us-east1-b$"):
        table.zones()
