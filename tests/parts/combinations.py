"""Legal combinations of a stack's parts: a hypothesis strategy over the model.

What goes together is drawn so as far as that is easy to say; what the rules refuse then is put
right by taking out the part that they name.
"""

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from stacks.config import ConfigError, validate
from stacks.plan import Plan
from tests.parts.combined_ground import bucket, cluster, lustre, network, redis
from tests.parts.combined_pools import place, pools
from tests.parts.combined_queues import into_queues, queues
from tests.parts.combined_ray import workloads
from tests.parts.drawing import Draw, maybe, one_of
from tests.programs import WITH_ALL_SECRETS


@st.composite
def combinations(draw: Draw) -> dict[str, Any]:
    """A raw config, mostly a legal one."""
    drawn = place(draw)
    pools(drawn)
    raw = drawn.raw
    raw |= network(drawn) | cluster(drawn)
    if drawn.facts.zones[raw["zone"]].lustre and maybe(draw, 3):
        raw["lustre"] = lustre(drawn)
    raw["buckets"] = {
        key: bucket(draw, key) for key in one_of(draw, ((), ("data",), ("data", "models")))
    }
    workloads(drawn)
    if drawn.queued or maybe(draw, 3):
        raw["queues"] = queues(drawn)
        into_queues(drawn)
    redis(drawn)
    return {key: value for key, value in raw.items() if value not in ({}, None)}


def put_right(raw: dict[str, Any]) -> tuple[dict[str, Any], Plan] | None:
    """A config that the rules let through, with what they refused taken out; None where that
    leaves nothing."""
    config = deepcopy(raw)
    for _ in range(8):
        try:
            plan = validate(config, secrets_set=WITH_ALL_SECRETS)
        except ConfigError as error:
            if not _without(config, error.lines[0]):
                return None
        else:
            return config, plan
    return None


def _without(config: dict[str, Any], line: str) -> bool:
    """Takes out the part that a line names, or the block in it."""
    path = line.partition(": ")[0].removeprefix("stack.").split(".")
    here: Any = config
    for depth, part in enumerate(path):
        name = part.partition("[")[0]
        if not isinstance(here, dict) or name not in here:
            return False
        last = depth == len(path) - 1
        if last or (depth == 1 and path[0] in ("ray", "jobs", "servers", "buckets")):
            if name in ("name", "zone", "pools"):
                return False
            del here[name]
            return True
        here = here[name]
    return False
