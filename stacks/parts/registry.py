"""The parts that a stack's config may have, in the order in which their rules speak.

Builders are not here: they load Pulumi's SDK, which nobody needs who checks a config
(stacks/build.py has them in the order of their resources).
"""

from collections.abc import Mapping
from typing import Any

from stacks.parts.buckets.part import PART as BUCKETS
from stacks.parts.cluster.part import PART as CLUSTER
from stacks.parts.images.part import PART as IMAGES
from stacks.parts.jobs.part import PART as JOBS
from stacks.parts.lustre.part import PART as LUSTRE
from stacks.parts.network.part import PART as NETWORK
from stacks.parts.part import Part
from stacks.parts.pools.part import PART as POOLS
from stacks.parts.queues.part import PART as QUEUES
from stacks.parts.ray.part import PART as RAY
from stacks.parts.redis.part import PART as REDIS
from stacks.parts.servers.part import PART as SERVERS
from stacks.parts.teams.part import PART as TEAMS

PARTS: tuple[Part, ...] = (
    POOLS,
    NETWORK,
    CLUSTER,
    IMAGES,
    LUSTRE,
    BUCKETS,
    RAY,
    REDIS,
    JOBS,
    SERVERS,
    QUEUES,
    TEAMS,
)


def stand_ins_for(raw: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """By key what stands in for a block of this config that cannot be read."""
    return {it.key: found for it in PARTS if (found := tuple(it.stand_ins(raw)))}
