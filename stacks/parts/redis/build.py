"""The Redis instance behind private service access, and the Secret that Ray heads have its password
from."""

from dataclasses import dataclass

from components.cluster.token_secret import TokenSecret, TokenSecretArgs
from components.ray.fault_tolerance import PASSWORD_KEY, RayFaultToleranceArgs
from components.redis.instance import (
    RedisConnectMode,
    RedisInstance,
    RedisInstanceArgs,
    RedisTier,
)
from stacks.site import Ground, Project, Site


@dataclass(frozen=True, kw_only=True)
class KeptState:
    """How a RayCluster says where its head's state is."""

    options: RayFaultToleranceArgs
    password: TokenSecret


def build(project: Project, ground: Ground) -> RedisInstance:
    """The instance waits for the peering, and for nothing of the cluster's. Google chooses its
    zone: not every zone with accelerators has Redis."""
    stack = project.plan.stack
    wanted = stack.redis
    assert wanted is not None
    # google-cloud-redis 2.14.0, Instance.location_id; Memorystore for Redis documentation,
    # "Regions and zones", 2026-11-22.
    return RedisInstance(
        "redis",
        RedisInstanceArgs(
            project=stack.project,
            apis=project.apis,
            region=stack.region,
            instance_name=wanted.name or stack.name,
            network_id=ground.peered_id,
            services=ground.services,
            tier=RedisTier(wanted.tier),
            memory_gib=wanted.memory_gib,
            redis_version=wanted.version,
            kms_key=stack.key_of(wanted),
            connect_mode=RedisConnectMode.PRIVATE_SERVICE_ACCESS,
            labels=project.labels,
            protect=stack.deletion_protection,
        ),
        opts=project.opts,
    )


def kept_state(site: Site, redis: RedisInstance) -> KeptState:
    password = TokenSecret(
        "redis-password",
        TokenSecretArgs(
            namespace=site.namespace,
            secret_name=site.plan.redis_secret_name,
            tokens={PASSWORD_KEY: redis.auth_string},
            labels=site.labels,
        ),
        opts=site.inside,
    )
    options = RayFaultToleranceArgs(
        redis_address=redis.address, secret_name=password.secret_name, backing=redis.backing
    )
    return KeptState(options=options, password=password)
