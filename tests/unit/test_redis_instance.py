"""The Redis instance, as registered; that its password is encrypted the engine's tests show."""

from dataclasses import replace

import pulumi_kubernetes as k8s
import pytest

from components.redis.instance import (
    RedisConnectMode,
    RedisInstance,
    RedisInstanceArgs,
    RedisTier,
)
from tests.conftest import PASSWORD, Register

ARGS = RedisInstanceArgs(
    project="p",
    region="us-east1",
    zone="us-east1-b",
    instance_name="ray-demo-state",
    network_id="projects/p/global/networks/demo-net",
    tier=RedisTier.STANDARD_HA,
    memory_gib=5,
    redis_version="REDIS_7_2",
    address_range="10.20.0.0/29",
    labels={"stack": "test"},
    protect=True,
    connect_mode=RedisConnectMode.DIRECT_PEERING,
)


def test_it_asks_for_a_password_and_has_addresses_of_its_own_in_the_network(
    register: Register,
) -> None:
    instance = register(lambda: RedisInstance("redis", ARGS)).one(":Instance")
    assert instance.inputs == {
        "project": "p",
        "region": "us-east1",
        "locationId": "us-east1-b",
        "name": "ray-demo-state",
        "authorizedNetwork": "projects/p/global/networks/demo-net",
        "connectMode": "DIRECT_PEERING",
        "reservedIpRange": "10.20.0.0/29",
        "tier": "STANDARD_HA",
        "memorySizeGb": 5,
        "redisVersion": "REDIS_7_2",
        "authEnabled": True,
        "transitEncryptionMode": "DISABLED",
        "labels": {"stack": "test"},
        "deletionProtection": False,
    }


def test_with_private_service_access_its_range_is_one_of_that_or_googles_choice(
    register: Register,
) -> None:
    access = RedisConnectMode.PRIVATE_SERVICE_ACCESS
    named = replace(ARGS, connect_mode=access, address_range="google-managed-services-demo")
    instance = register(lambda: RedisInstance("redis", named)).one(":Instance")
    assert instance.inputs["connectMode"] == "PRIVATE_SERVICE_ACCESS"
    assert instance.inputs["reservedIpRange"] == "google-managed-services-demo"
    free = replace(ARGS, connect_mode=access, address_range=None)
    instance = register(lambda: RedisInstance("redis", free)).one(":Instance")
    assert "reservedIpRange" not in instance.inputs


def test_without_a_zone_google_chooses_one(register: Register) -> None:
    instance = register(lambda: RedisInstance("redis", replace(ARGS, zone=None))).one(":Instance")
    assert "locationId" not in instance.inputs


def test_it_is_protected_given_time_and_never_made_beside_itself(register: Register) -> None:
    instance = register(lambda: RedisInstance("redis", ARGS)).one(":Instance")
    assert instance.protect
    assert instance.create_timeout == "20m"
    assert instance.delete_before_replace


def test_its_address_is_what_ray_takes(register: Register) -> None:
    made = register(lambda: RedisInstance("redis", ARGS))
    outputs = made.outputs[made.named("redis").urn]
    assert outputs["host"] == "10.20.0.3"
    assert outputs["port"] == 6379
    assert outputs["address"] == "redis://10.20.0.3:6379"


def test_its_password_is_secret_to_whoever_gets_it(register: Register) -> None:
    def program() -> None:
        redis = RedisInstance("redis", ARGS)
        k8s.core.v1.ConfigMap("reader", data={"password": redis.auth_string})

    reader = register(program).one(":ConfigMap")
    assert reader.inputs["data"] == {"password": PASSWORD}
    assert reader.secret_inputs == {"data"}


@pytest.mark.parametrize("name", ["r", "Ray", "1ray", "ray-", "r" * 41])
def test_a_name_that_google_does_not_take_is_refused(register: Register, name: str) -> None:
    with pytest.raises(ValueError, match=r"a Redis instance name.*nearest: "):
        register(lambda: RedisInstance("redis", replace(ARGS, instance_name=name)))
