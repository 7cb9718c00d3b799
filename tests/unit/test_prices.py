"""Prices where the presets are, and the pages that print them. That Google asks for them is not
tested: they are of a dated table."""

import re
from pathlib import Path

import pytest
import yaml

from catalog import Catalog

ROOT = Path(__file__).parent.parent.parent
PRESETS = {path.name: path.read_text() for path in sorted(ROOT.glob("Pulumi.*.yaml"))}
PAGES = {
    path.name: path.read_text()
    for path in sorted((ROOT / "docs").glob("*.md"))
    if "catalog's dated table" in path.read_text()
}
CATALOG = Catalog.load()
# N x machine, on demand or spot | hourly price
LINE = re.compile(r"^\| (\d+) x ([a-z0-9-]+)(?:,? (on demand|spot))? +\| ([\d.]+(?: to [\d.]+)?) ")


@pytest.mark.parametrize("preset", PRESETS)
def test_the_machines_of_a_preset_have_a_price_of_their_region(preset: str) -> None:
    region = yaml.safe_load(PRESETS[preset])["config"]["gcp:region"]
    named = set(re.findall(r"machine_type: ([\w-]+)", PRESETS[preset]))
    # What a CPU pool is by default.
    for machine in named | {"e2-standard-4"}:
        regions = CATALOG.machine_price(machine).regions
        assert region in regions, f"{machine} has no price in {region}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_prints_the_prices_of_the_table_in_its_region(page: str) -> None:
    costs = PAGES[page].partition("\n## Costs")[2]
    named = re.search(r"USD an hour, in ([a-z0-9-]+)\)", costs)
    assert named, "the page names no region"
    lines = [found for line in costs.splitlines() if (found := LINE.match(line))]
    assert lines
    for count, machine, how, printed in (it.groups() for it in lines):
        price = CATALOG.machine_price(machine).regions[named[1]]
        each = price.spot if how == "spot" else price.on_demand
        assert each is not None
        assert printed == f"{int(count) * each:.2f}", machine
