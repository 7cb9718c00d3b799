"""Which of its endpoints a cluster is reached at, and that only Google's names are trusted."""

from dataclasses import replace

import pytest

from catalog.roles import roles_table
from components.cluster.control_plane import ControlPlaneEndpoint, Endpoints, check_dns_name
from sandbox.cloud.caller import Caller
from sandbox.errors import CloudError
from stacks.config import validate
from stacks.parts.cluster.advice import advice
from tests.conftest import changed
from tests.parts.samples import BARE
from tests.programs import WITH_ALL_SECRETS
from tests.unit.effect_stacks import TEAMS

OPEN = Endpoints(
    address="203.0.113.7",
    dns_name="gke-1a2b3c-123456789012.us-central1.gke.goog",
    has_address=True,
    is_public=True,
    is_dns_open=True,
)


@pytest.mark.parametrize(
    ("ways", "chosen"),
    [
        (OPEN, ControlPlaneEndpoint.PUBLIC),
        (replace(OPEN, is_dns_open=False), ControlPlaneEndpoint.PUBLIC),
        (replace(OPEN, is_public=False), ControlPlaneEndpoint.DNS),
        (replace(OPEN, is_public=False, is_dns_open=False), ControlPlaneEndpoint.PRIVATE),
        (replace(OPEN, has_address=False), ControlPlaneEndpoint.DNS),
    ],
)
def test_an_address_on_the_internet_comes_first_then_the_name_then_a_private_address(
    ways: Endpoints, chosen: ControlPlaneEndpoint
) -> None:
    assert ways.chosen is chosen
    assert ways.host == (OPEN.dns_name if chosen is ControlPlaneEndpoint.DNS else OPEN.address)


@pytest.mark.parametrize(
    "name",
    [
        "gke-1a2b3c-123456789012.us-central1.gke.goog",
        "gke-0f-1.us-central1-a.gke.goog",
    ],
)
def test_a_name_of_google_clouds_is_taken(name: str) -> None:
    assert check_dns_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "203.0.113.7",
        "evil.example",
        "gke-1.us-central1.gke.goog.evil.example",
        "evil.example/gke-1.us-central1.gke.goog",
        "evil.example#.us-central1.gke.goog",
        "user@gke-1.us-central1.gke.goog",
        "gke-1.us-central1.gke.goog:8443",
        "gke-1.us-central1.gke.goog\n",
        "gke-1.us-central1.xgke.goog",
    ],
)
def test_any_other_host_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a control plane at Google Cloud"):
        check_dns_name(name)


def test_who_may_not_connect_does_not_reach_a_control_plane_by_its_name() -> None:
    with pytest.raises(CloudError, match=r'Required "container.clusters.connect" permission'):
        Caller(("roles/compute.networkViewer",)).check_connect(OPEN.dns_name)
    for role in roles_table().roles:
        if role.startswith("roles/container.") or role == "custom/stacksClusterReader":
            Caller((role,)).check_connect(OPEN.dns_name)


@pytest.mark.parametrize(
    ("endpoint", "told"),
    [(None, []), ("private", ["from the VPC network alone"]), ("dns", ["clusters.connect"])],
)
def test_a_preview_says_where_one_has_to_be_and_what_one_needs(
    endpoint: str | None, told: list[str]
) -> None:
    plan = validate(changed(BARE, cluster={"endpoint": endpoint}), secrets_set=WITH_ALL_SECRETS)
    said = list(advice(plan))
    assert len(said) == len(told)
    assert all(part in line for line, part in zip(said, told, strict=True))


def test_members_of_teams_are_told_apart_for_their_role_may_not_do() -> None:
    plan = validate(changed(TEAMS, cluster__endpoint="dns"), secrets_set=WITH_ALL_SECRETS)
    assert [it.partition(": ")[0] for it in advice(plan)] == [
        "stack.cluster.endpoint",
        "stack.teams",
    ]
