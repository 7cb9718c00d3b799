"""A Ray cluster whose head keeps its state in Redis, as registered. What KubeRay makes of it the
tests on the real control plane show; that Ray goes on, none does."""

from dataclasses import replace

import pytest

from components.cluster.token_secret import TokenSecret, TokenSecretArgs
from components.ray.cluster import RayCluster
from components.ray.cluster_manifest import RayAutoscaling
from components.ray.fault_tolerance import (
    PASSWORD_KEY,
    RayFaultToleranceArgs,
    fault_tolerance_fields,
)
from components.redis.instance import RedisInstance
from sandbox.memory_kube.memory import MemoryKube
from tests.conftest import PASSWORD, Recording, Register, inside
from tests.unit.test_ray_cluster import ARGS
from tests.unit.test_redis_instance import ARGS as REDIS

ADDRESS = "redis://10.20.0.3:6379"


def made(register: Register) -> Recording:
    def program() -> None:
        redis = RedisInstance("redis", REDIS)
        password = TokenSecretArgs(
            namespace="rl",
            secret_name="demo-redis",
            tokens={PASSWORD_KEY: redis.auth_string},
            labels={},
        )
        secret = TokenSecret("password", password, opts=inside())
        tolerance = RayFaultToleranceArgs(
            redis_address=redis.address, secret_name=secret.secret_name, backing=redis.backing
        )
        RayCluster("ray", replace(ARGS, fault_tolerance=tolerance), opts=inside())

    return register(program)


def test_the_cluster_names_the_redis_and_where_the_password_is(register: Register) -> None:
    spec = made(register).named("ray-cluster").inputs["spec"]
    assert spec["gcsFaultToleranceOptions"] == {
        "redisAddress": ADDRESS,
        "redisPassword": {
            "valueFrom": {"secretKeyRef": {"name": "demo-redis", "key": "REDIS_PASSWORD"}}
        },
    }
    assert PASSWORD not in str(spec)


def test_the_rest_of_the_cluster_is_as_without(register: Register) -> None:
    tolerant = made(register).named("ray-cluster").inputs["spec"]
    plain = (
        register(lambda: RayCluster("ray", ARGS, opts=inside())).named("ray-cluster").inputs["spec"]
    )
    assert "gcsFaultToleranceOptions" not in plain
    assert {key: it for key, it in tolerant.items() if key in plain} == plain


def test_the_cluster_goes_before_the_redis_and_the_password(register: Register) -> None:
    recording = made(register)
    assert {"redis-instance", "password-secret"} <= recording.waits_for("ray-cluster")


def test_another_redis_is_another_cluster(register: Register) -> None:
    recording = made(register)
    cluster = recording.named("ray-cluster")
    assert "spec.gcsFaultToleranceOptions" in cluster.replace_on_changes
    assert cluster.replace_with == {recording.named("redis-instance").urn}


def test_what_kuberay_has_written_with_its_finalizer_can_be_changed(register: Register) -> None:
    annotations = made(register).named("ray-cluster").inputs["metadata"]["annotations"]
    assert annotations["pulumi.com/patchForce"] == "true"


def test_the_cluster_may_speak_to_whom_it_likes(register: Register) -> None:
    policy = made(register).one(":NetworkPolicy").inputs["spec"]
    assert policy["policyTypes"] == ["Ingress"]
    assert "egress" not in policy


def test_keys_may_have_a_prefix_of_their_own_and_a_redis_no_password() -> None:
    wanted = RayFaultToleranceArgs(redis_address=ADDRESS, storage_namespace="demo")
    assert fault_tolerance_fields(wanted) == {
        "gcsFaultToleranceOptions": {"redisAddress": ADDRESS, "externalStorageNamespace": "demo"}
    }


@pytest.mark.parametrize("autoscaling", [None, RayAutoscaling(idle_seconds=60)])
def test_a_cluster_in_a_queue_is_refused(
    register: Register, autoscaling: RayAutoscaling | None
) -> None:
    tolerance = RayFaultToleranceArgs(redis_address=ADDRESS)
    queued = replace(ARGS, queue="lq", fault_tolerance=tolerance, autoscaling=autoscaling)
    with pytest.raises(
        ValueError,
        match=r"^RayCluster ray: fault_tolerance: .*; nearest: a cluster without a queue",
    ):
        register(lambda: RayCluster("ray", queued, opts=inside()))


def test_the_sandbox_takes_it(register: Register) -> None:
    cluster = made(register).named("ray-cluster").inputs
    kube = MemoryKube({}, [])
    kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "rl"}})
    kube.validate({"apiVersion": "ray.io/v1", "kind": "RayCluster", **cluster})
