"""Maintenance windows: from a config to what the provider is told."""

from datetime import UTC, datetime

from components.cluster.cluster import MaintenanceExclusion
from stacks.parts.cluster.build import maintenance_window
from stacks.parts.cluster.config import Maintenance
from stacks.parts.cluster.maintenance_rules import maintenance_problems

WINDOW = {"start": "2026-01-03T04:00:00+02:00", "end": "2026-01-03T08:00:00Z"}
NOW = datetime(2026, 2, 1, tzinfo=UTC)


def test_times_are_in_the_form_in_which_gke_gives_them_back() -> None:
    found = maintenance_window(Maintenance.model_validate(WINDOW))
    assert found is not None
    assert (found.start, found.end) == ("2026-01-03T02:00:00Z", "2026-01-03T08:00:00Z")


def test_an_exclusion_without_an_end_lasts_as_long_as_the_version_is_supported() -> None:
    one = {"name": "run", "start": "2026-01-03T00:00:00Z"}
    found = maintenance_window(Maintenance.model_validate({**WINDOW, "exclusions": [one]}))
    assert found is not None
    assert found.exclusions == [
        MaintenanceExclusion(
            name="run", start="2026-01-03T00:00:00Z", scope="NO_MINOR_OR_NODE_UPGRADES"
        )
    ]


def test_windows_of_longer_than_forty_years_are_not_counted_one_by_one() -> None:
    one = {
        "name": "run",
        "start": "2026-02-10T00:00:00Z",
        "end": "2026-04-30T00:00:00Z",
        "scope": "NO_UPGRADES",
    }
    old = {"start": "1980-01-05T02:00:00Z", "end": "1980-01-05T08:00:00Z"}
    window = Maintenance.model_validate({**old, "exclusions": [one]})
    assert list(maintenance_problems(window, NOW)) == []
    window = Maintenance.model_validate({**WINDOW, "exclusions": [one]})
    assert list(maintenance_problems(window, NOW))


def test_no_upgrades_at_all_has_to_end() -> None:
    one = {"name": "run", "start": "2026-01-03T00:00:00Z", "scope": "NO_UPGRADES"}
    window = Maintenance.model_validate({**WINDOW, "exclusions": [one]})
    (problem,) = maintenance_problems(window, NOW)
    assert problem.field == "cluster.maintenance.exclusions[0].end"
    assert problem.message.endswith("nearest: 2026-03-08T00:00:00Z")
    one["scope"] = "NO_MINOR_OR_NODE_UPGRADES"
    window = Maintenance.model_validate({**WINDOW, "exclusions": [one]})
    assert list(maintenance_problems(window, NOW)) == []
