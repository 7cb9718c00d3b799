"""Published holes by ranges of versions, and who is told of which."""

from typing import Any

import pytest
from pydantic import ValidationError

from catalog import Catalog
from catalog.known_holes import Hole, Way
from stacks.config import validate
from stacks.open_holes import advice
from tests.conftest import changed, stack_config
from tests.programs import WITH_ALL_SECRETS
from tools.pins import hole_rows

CATALOG = Catalog.load()
HOLES = CATALOG.known_holes
REBINDING = "CVE-2025-62593"


def ids(**versions: str) -> set[str]:
    return {hole.id for _, hole in HOLES.of(versions)}


def told(stack: str, **values: Any) -> list[str]:
    config = changed(stack_config(stack), **values)
    return list(advice(validate(config, secrets_set=WITH_ALL_SECRETS)))


@pytest.mark.parametrize(
    ("name", "hole", "last_with", "first_without"),
    [
        ("ray", REBINDING, "2.51.2", "2.52.0"),
        ("ray", "CVE-2026-27482", "2.53.0", "2.54.0"),
        ("ray", "CVE-2026-41486", "2.54.0", "2.55.0"),
        ("vllm", "CVE-2026-22807", "0.13.0", "0.14.0"),
        ("vllm", "CVE-2026-27893", "0.17.1", "0.18.0"),
        ("vllm", "CVE-2026-56340", "0.12.0", "0.13.0"),
        ("tgi", "CVE-2026-0599", "3.3.6", "3.3.7"),
    ],
)
def test_a_hole_ends_with_the_version_that_its_advisory_names(
    name: str, hole: str, last_with: str, first_without: str
) -> None:
    assert hole in ids(**{name: last_with})
    assert hole not in ids(**{name: first_without})


def test_what_came_before_a_hole_is_without_it() -> None:
    assert "CVE-2026-41486" in ids(ray="2.49.0")
    assert "CVE-2026-41486" not in ids(ray="2.48.0")
    assert "CVE-2026-22807" not in ids(vllm="0.10.0")


def test_a_candidate_of_the_version_that_closes_a_hole_is_judged_by_its_number() -> None:
    assert REBINDING in ids(ray="2.51.0rc0")
    assert REBINDING not in ids(ray="2.52.1rc0")


def test_the_version_that_closes_all_is_the_highest_of_the_ends() -> None:
    closing = HOLES.closing({"ray": "2.49.2", "vllm": "0.11.0", "torch": "2.9.1"})
    assert closing == {"ray": "2.56.0", "vllm": "0.24.0"}
    assert HOLES.closing(closing) == {}


def test_what_closes_one_hole_and_opens_another_is_not_offered() -> None:
    """Of vLLM 0.10.0 a model uses one hole, which 0.11.1 closes; that has two others."""
    assert HOLES.closing({"vllm": "0.10.0"}, [Way.MODEL]) == {"vllm": "0.18.0"}


def test_every_image_and_package_of_the_lock_is_judged_or_said_to_be_unknown() -> None:
    judged = {row[0].strip("`"): row for row in hole_rows()}
    for image in CATALOG.versions.images.values():
        _, having, found, _ = judged[f"{image.name.repository}:{image.name.tag}"]
        known = set(image.versions) & set(HOLES.software)
        assert all(f"{name} {image.versions[name]}" in having for name in known)
        assert ("not known" in found) is (not known)
        assert all(hole.id in found for _, hole in HOLES.of(image.versions))
    for name in HOLES.software.keys() & CATALOG.versions.components.keys():
        assert name in judged


def test_every_software_with_holes_is_in_an_image_or_is_a_package() -> None:
    """A name that is misspelt would judge nothing."""
    images = CATALOG.versions.images.values()
    used = {name for image in images for name in image.versions} | set(CATALOG.versions.components)
    assert set(HOLES.software) <= used


@pytest.mark.parametrize("preset", ["b200-lustre", "verl-b200", "verl-h200", "verl-b200-autopilot"])
def test_who_ships_a_ray_that_web_pages_can_use_is_told_in_one_line(preset: str) -> None:
    (line,) = told(preset)
    field, _, rest = line.partition(": ")
    assert field.startswith("ray.")
    assert field.endswith(".image")
    assert f"{REBINDING}, a web page in the user's browser runs jobs" in rest
    assert "nearest: an image of your own with ray 2.56.0 and vllm 0.18.0 or newer" in rest
    assert "sha256" not in line


def test_of_a_job_on_ray_requests_to_a_server_are_not_told() -> None:
    (line,) = told("verl-b200")
    assert "CVE-2026-22807" in line
    assert "CVE-2026-22778" not in line


def test_who_names_a_version_without_holes_is_told_nothing_of_ray() -> None:
    image = "example.com/own/ray:1"
    assert told("dev", ray__dev__image=image, ray__dev__version="2.56.0") == []
    (line,) = told("dev", ray__dev__image=image, ray__dev__version="2.51.0")
    assert line.startswith(f"ray.dev.image: {image} has ray 2.51.0, with known holes: {REBINDING}")


@pytest.mark.parametrize("preset", ["tpu-elastic", "tpu-multislice", "serve-autopilot"])
def test_stacks_without_a_known_hole_are_told_nothing(preset: str) -> None:
    assert told(preset) == []


def a_hole(**values: Any) -> Hole:
    first = HOLES.software["ray"][0].model_dump()
    return Hole.model_validate({**first, **values})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"affected": ">=2.0"}, "has no version that closes the hole"),
        ({"affected": "before 2.52"}, "Invalid specifier"),
        ({"id": "CVE-62593"}, "should match pattern"),
        ({"advisory": "GHSA-q279"}, "should match pattern"),
    ],
)
def test_a_hole_that_nothing_could_be_judged_by_is_refused(
    values: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValidationError, match=said):
        a_hole(**values)
