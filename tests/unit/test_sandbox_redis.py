"""The simulated cloud's rules for Memorystore for Redis; each refusal is matched at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from sandbox.cloud.kinds import KINDS
from sandbox.errors import CloudError
from sandbox.providers.schema import GcpSchema
from tests.unit.simulated_project import APIS, REDIS, Project

ACCESS = {"connectMode": "PRIVATE_SERVICE_ACCESS"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS)
    return made


def test_its_api_has_to_be_on(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.enable("compute")
    with pytest.raises(CloudError, match=r"redis.googleapis.com is not enabled in project p1; "):
        project.redis(project.network())


def test_an_instance_has_an_address_of_its_block_a_port_and_a_password(project: Project) -> None:
    made = project.redis(project.network(), reservedIpRange="10.20.0.0/29")
    assert made.outputs["host"] == "10.20.0.3"
    assert made.outputs["port"] == 6379
    assert str(UUID(made.outputs["authString"])) == made.outputs["authString"]


def test_without_a_password_there_is_none(project: Project) -> None:
    assert project.redis(project.network(), authEnabled=False).outputs["authString"] == ""


@pytest.mark.parametrize(
    ("inputs", "ending"),
    [
        ({"name": "Ray"}, r"a letter first and no hyphen last$"),
        ({"name": "r" * 41}, r"a letter first and no hyphen last$"),
        ({"memorySizeGb": 301}, r"not from 1 to 300; nearest: 300$"),
        ({"memorySizeGb": 0}, r"not from 1 to 300; nearest: 1$"),
        ({"tier": "BASIC", "replicaCount": 1}, r"is for tier STANDARD_HA; nearest: 0$"),
        ({"redisVersion": "7.2"}, r"is not a version of Redis; nearest: REDIS_7_2$"),
        ({"region": "us-west1"}, r"is not in region us-west1; nearest: us-east1$"),
        ({"reservedIpRange": "10.20.0.0/30"}, r"/29 at least; nearest: 10.20.0.0/29$"),
        ({"reservedIpRange": "10.0.0.0/29"}, r"overlaps with 10.0.0.0/20 of nodes/primary$"),
        ({"authorizedNetwork": "elsewhere"}, r'network "elsewhere" was not found$'),
        (ACCESS, r"has no private services access connection$"),
    ],
)
def test_what_google_does_not_take_is_refused(
    project: Project, inputs: dict[str, Any], ending: str
) -> None:
    network = project.network()
    project.subnet(network)
    with pytest.raises(CloudError, match=ending):
        project.redis(network, **inputs)


def test_a_subnet_cannot_have_the_block_of_an_instance(project: Project) -> None:
    network = project.network()
    project.redis(network, reservedIpRange="10.0.4.0/29")
    with pytest.raises(CloudError, match=r"overlaps with 10.0.4.0/29 of ray-state$"):
        project.subnet(network)


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


def test_a_network_of_an_instance_cannot_go(project: Project) -> None:
    network = project.network()
    project.redis(network)
    with pytest.raises(CloudError, match=r"is already being used by .*/instances/ray-state$"):
        project.delete(network)


def test_its_producer_holds_on_to_the_connection(project: Project) -> None:
    network = project.network()
    connection = project.peer(network)
    project.delete(project.redis(network, **ACCESS))
    with pytest.raises(CloudError, match=r"Producer services are still using this connection$"):
        project.delete(connection)


def test_a_protected_instance_cannot_go(project: Project) -> None:
    made = project.redis(project.network(), deletionProtection=True)
    with pytest.raises(CloudError, match=r"without deletionProtection=false and running"):
        project.delete(made)


def test_an_instance_keeps_its_address_and_password_while_it_grows(project: Project) -> None:
    made = project.redis(project.network())
    grown = project.cloud.update(REDIS, made.id, {**made.inputs, "memorySizeGb": 10})
    assert grown.outputs == made.outputs
    with pytest.raises(CloudError, match=r"not from 1 to 300; nearest: 300$"):
        project.cloud.update(REDIS, made.id, {**made.inputs, "memorySizeGb": 999})


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
