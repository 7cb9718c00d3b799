"""The page of pins names all that is installed or run, and what holds each. That a digest is what
the registry has, only a pull shows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from catalog import Catalog
from catalog.plugins import PluginTable
from catalog.table import FactError
from catalog.versions import Component, HelmChart
from cli.project import stack_names
from components.base.component import check_arguments
from components.base.helm import HelmChartArgs, helm_chart
from stacks.config import validate
from tests.conftest import Recording, stack_config
from tests.parts.claim_samples import CLAIMED
from tests.parts.samples import SAMPLES
from tests.programs import WITH_ALL_SECRETS, WITH_TOKEN, registered
from tests.unit.test_images import images_in
from tools import pins
from tools.pins import PAGE, chart_rows, image_rows, page, plugin_rows

LOCK = Catalog.load().versions
TEXT = PAGE.read_text(encoding="utf-8")
RELEASE = "kubernetes:helm.sh/v3:Release"
# Of the node's own disk image; nothing is pulled (components/nccl/gpu_driver_installer.py).
ON_THE_NODE = "cos-nvidia-installer:fixed"


def test_the_page_has_the_tables_of_the_catalog() -> None:
    assert page(TEXT) == TEXT


def test_a_row_that_was_changed_by_hand_is_written_again() -> None:
    assert page(TEXT.replace("by name alone", "`sha256:0a`")) == TEXT


def test_what_is_held_by_its_name_alone_is_listed_and_nothing_else() -> None:
    told = [line for line in TEXT.splitlines() if "by name alone" in line]
    assert told
    assert not [line for line in told if "sha256:" in line]


def last(reference: str) -> str:
    """The end of an image's name with its tag, which it has in a mirror too."""
    return reference.strip("`").rpartition("/")[2].partition("@")[0]


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from strings_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings_in(one)
    elif isinstance(value, str):
        yield value


def made(config: dict[str, Any]) -> Recording:
    return registered(validate(config, secrets_set=WITH_TOKEN))


@pytest.mark.parametrize("config", [*SAMPLES.values(), CLAIMED], ids=lambda it: it["name"])
def test_all_that_a_stack_installs_or_runs_by_default_stands_on_the_page(
    config: dict[str, Any],
) -> None:
    recording = made(config)
    pulled = {last(it) for it in images_in(recording) if it != ON_THE_NODE}
    assert pulled - set(map(last, strings_in(config))) <= {last(row[0]) for row in image_rows()}
    charts = {(row[0].split("`")[1], row[1]) for row in chart_rows()}
    releases = [it.inputs for it in recording.resources if it.type == RELEASE]
    assert {(it["chart"].partition("@")[0], it["version"]) for it in releases} <= charts


@pytest.mark.parametrize("stack", stack_names())
def test_all_that_a_preset_pulls_stands_on_the_page(stack: str) -> None:
    plan = validate(stack_config(stack), secrets_set=WITH_ALL_SECRETS)
    pulled = {last(it) for it in images_in(registered(plan)) if it != ON_THE_NODE}
    assert pulled <= {last(row[0]) for row in image_rows()}


def test_a_chart_of_an_oci_registry_is_pulled_by_its_published_digest() -> None:
    args = helm_chart(validate(CLAIMED, secrets_set=WITH_TOKEN).facts, "gpu_claim_driver")
    chart = LOCK.components["gpu_claim_driver"].chart
    assert chart is not None
    assert args.digest == f"sha256:{chart.digests[args.version].sha256}"
    assert args.pulled == f"{chart.name}@{args.digest}"


def test_a_chart_without_a_published_digest_is_pulled_by_its_version() -> None:
    args = HelmChartArgs(chart="oci://charts.example/a", version="1")
    assert args.pulled == "oci://charts.example/a"


def test_helm_is_given_no_digest_that_it_does_not_compare() -> None:
    chart = LOCK.components["kuberay"].chart
    assert chart is not None
    assert chart.digests
    assert all(chart.checked_digest(version) is None for version in chart.digests)
    args = HelmChartArgs(
        chart="a", version="1", repository="https://charts.example", digest="sha256:0"
    )
    with pytest.raises(ValueError, match="nearest: leave it out"):
        check_arguments(args)


def test_what_helm_does_not_install_has_no_chart() -> None:
    with pytest.raises(FactError, match=r"^gke_networking has no chart$"):
        helm_chart(Catalog.load(), "gke_networking")


def test_a_digest_of_a_version_that_nobody_can_install_is_refused() -> None:
    digests = {"2": {"sha256": "0" * 64, "source": "test"}}
    chart = HelmChart.model_validate({"name": "oci://charts.example/a", "digests": digests})
    facts = {"version": "1", "releases": {"1": {"apis": {}}}, "source": "test"}
    with pytest.raises(ValidationError, match=r"digests of \['2'\], which are no releases"):
        Component.model_validate({**facts, "chart": chart.model_dump()})


def test_a_plugin_is_said_to_be_held_once_its_checksum_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (before, *_) = plugin_rows()
    release = {before[1]: {"linux-amd64": "0" * 64}}
    plugins = {"gcp": {"repository": "pulumi/pulumi-gcp", "checksums": release}}
    table = {"source": "test", "date": date(2026, 1, 1), "plugins": plugins}
    monkeypatch.setattr(pins, "plugin_table", lambda: PluginTable.model_validate(table))
    assert [row[2] for row in plugin_rows()] == ["SHA256 for linux-amd64"]
