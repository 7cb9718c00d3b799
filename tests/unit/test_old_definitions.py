"""An upgrade of KubeRay leaves the definitions of its kinds as they were, and a preview says so."""

from __future__ import annotations

import pytest

from stacks.config import validate
from stacks.old_definitions import told
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.refusal import CLUSTER, RELEASE
from tests.conftest import ROOT, changed, stack_config
from tests.programs import WITH_ALL_SECRETS, registered

STACK = "gcsfuse-checkpoint"


def planned(**values: object) -> Plan:
    return validate(changed(stack_config(STACK), **values), secrets_set=WITH_ALL_SECRETS)


def recorded(plan: Plan, version: str) -> Record:
    """All releases that a run of the program makes, KubeRay's at a version."""
    made = (it for it in registered(plan).resources if it.type == RELEASE)
    kuberay = "kuberay-operator"
    return Record(
        {
            f"urn:pulumi:a::b::{RELEASE}::{it.name}": {
                "type": RELEASE,
                "outputs": {
                    **it.inputs,
                    **({"version": version} if it.inputs["name"] == kuberay else {}),
                },
            }
            for it in made
        }
    )


def command_of_the_page() -> str:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    (line,) = (it for it in page.splitlines() if it.startswith("kubectl apply --server-side"))
    return line


def test_a_preview_says_how_definitions_without_authoptions_are_brought_up_to_date() -> None:
    plan = planned()
    (line,) = told(plan, recorded(plan, "1.4.2"))
    assert line.startswith("ray.")
    assert "KubeRay 1.4.2 is in the cluster" in line
    assert command_of_the_page().removeprefix("kubectl") in line


@pytest.mark.parametrize(("enabled", "lines"), [(True, 1), (False, 0)])
def test_a_change_from_the_add_on_leaves_definitions_of_a_version_that_nobody_knows(
    enabled: bool, lines: int
) -> None:
    addons = {"rayOperatorConfigs": [{"enabled": enabled}]}
    cluster = {"type": CLUSTER, "outputs": {"addonsConfig": addons}}
    found = list(told(planned(), Record({f"urn:pulumi:a::b::{CLUSTER}::gke": cluster})))
    assert len(found) == lines
    assert all("GKE's Ray add-on is in the cluster" in it for it in found)


@pytest.mark.parametrize("version", ["1.6.2", "1.9.0"])
def test_of_an_operator_that_has_them_or_that_nobody_knows_nothing_is_said(version: str) -> None:
    plan = planned()
    assert not list(told(plan, recorded(plan, version)))


def test_nothing_is_said_before_the_first_up_and_where_ray_asks_for_no_token() -> None:
    plan = planned()
    assert not list(told(plan, Record()))
    assert not list(told(planned(cluster__ray_operator="addon"), recorded(plan, "1.4.2")))
