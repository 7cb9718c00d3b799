"""The simulated cloud's rules for Memorystore for Redis; each refusal is matched at its end."""

from __future__ import annotations

from uuid import UUID

import pytest

from sandbox.cloud.kinds import KINDS
from sandbox.errors import CloudError
from sandbox.providers.schema import GcpSchema
from tests.unit.simulated_project import REDIS, Project

ACCESS = {"connectMode": "PRIVATE_SERVICE_ACCESS"}


def test_an_instance_has_an_address_of_its_block_a_port_and_a_password(project: Project) -> None:
    made = project.redis(project.network(), reservedIpRange="10.20.0.0/29")
    assert made.outputs["host"] == "10.20.0.3"
    assert made.outputs["port"] == 6379
    assert str(UUID(made.outputs["authString"])) == made.outputs["authString"]


def test_without_a_password_there_is_none(project: Project) -> None:
    assert project.redis(project.network(), authEnabled=False).outputs["authString"] == ""


def test_google_chooses_a_block_that_is_free(project: Project) -> None:
    network = project.network()
    project.subnet(network)
    hosts = [project.redis(network, name=name).outputs["host"] for name in ("one", "two")]
    assert hosts == ["10.0.16.3", "10.0.16.11"]


def test_with_private_service_access_it_takes_a_block_that_lustre_has_left(
    project: Project,
) -> None:
    network = project.network()
    project.peer(network)
    project.lustre(network)
    made = project.redis(network, reservedIpRange="services", **ACCESS)
    assert made.outputs["effectiveReservedIpRange"] == "10.10.2.0/29"
    with pytest.raises(CloudError, match=r"services of \S+/net has no free /23; nearest: "):
        project.lustre(network, instanceId="second")
    with pytest.raises(CloudError, match=r'"other" is no range of the connection; nearest: serv'):
        project.redis(network, name="other", reservedIpRange="other", **ACCESS)


def test_an_instance_keeps_its_address_and_password_while_it_grows(project: Project) -> None:
    made = project.redis(project.network())
    grown = project.cloud.update(REDIS, made.id, {**made.inputs, "memorySizeGb": 10})
    assert grown.outputs == made.outputs


@pytest.mark.parametrize(
    ("old", "new", "anew"),
    [
        ("REDIS_7_2", "REDIS_7_0", True),
        ("REDIS_7_0", "REDIS_7_2", False),
        ("REDIS_7_2", "REDIS_6_X", False),
    ],
)
def test_a_lower_version_makes_it_anew(old: str, new: str, anew: bool) -> None:
    olds, news = {"redisVersion": old}, {"redisVersion": new}
    assert (KINDS[REDIS].replaced_by(olds, news) == {"redisVersion"}) is anew


def test_its_tier_makes_it_anew_and_its_size_does_not() -> None:
    olds = {"tier": "BASIC", "memorySizeGb": 1}
    found = GcpSchema.load().diff(REDIS, olds, {"tier": "STANDARD_HA", "memorySizeGb": 5})
    assert {it.path: it.replaces for it in found} == {"tier": True, "memorySizeGb": False}
