"""Memorystore for Redis. No Pulumi import."""

from typing import Annotated, Literal

from catalog.bounds import Bounds
from components.base.naming import NameKind
from stacks.types import Block
from stacks.value_checks import named

RedisName = Annotated[str, named(NameKind.REDIS)]
# SDK of pulumi-gcp 10.2.0, redis.Instance memorySizeGb; the largest there is has 300 GiB.
RedisGiB = Annotated[int, Bounds(1, 300, "an instance of Memorystore for Redis has")]


class StackRedis(Block, frozen=True):
    """A Memorystore for Redis instance with a password, for `ray.NAME.head.redis`."""

    name: RedisName | None = None
    """Name of the instance; by default the stack's."""
    tier: Literal["BASIC", "STANDARD_HA"] = "STANDARD_HA"
    """Without a replica, BASIC loses its data with its machine."""
    memory_gib: RedisGiB = 1
    """GiB of memory."""
    version: Literal["REDIS_6_X", "REDIS_7_0", "REDIS_7_2"] = "REDIS_7_2"
    """Version of Redis; a lower one is another instance."""
    cmek: bool = True
    """Encrypt it with the stack's `cmek`; an instance that was made without keeps Google's key by
    `false`."""
