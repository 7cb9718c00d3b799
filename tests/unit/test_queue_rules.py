"""The rules of queues: what is offered for a wrong value is accepted, and what is accepted runs."""

import re
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stacks.config import ConfigError, validate
from stacks.parts.jobs.plan import PlannedFineTuning
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.flavor_rules import pool_problems
from stacks.parts.queues.plan import RESOURCES, Quota
from stacks.parts.queues.rules import quota_problems
from stacks.parts.servers.plan import PlannedServer
from stacks.plan import Plan
from stacks.tokens import SECRETS
from stacks.types import MOST_CPUS, MOST_GPUS, MOST_MEMORY_GIB, MOST_NODES
from tests.conftest import changed, stack_config
from tests.unit.test_quotas import flavor

MIXED = stack_config("kueue-mixed")
SERVER, TUNING = "tgi-gemma-deployment", "finetune-gemma-l4"
TOKENS = frozenset(SECRETS)
ONE = "queues__cluster_queues__cluster-queue__flavors__default-flavor"


def with_more(milli_cpus: int, count: int) -> PlannedPool:
    """So many machines that leave so many more millicores to pods."""
    pool = flavor(count=count)
    cpus = pool.host.node.cpu_millicores + milli_cpus
    node = pool.host.node.model_copy(update={"cpu_millicores": cpus})
    return replace(pool, host=replace(pool.host, node=node))


# The most that a config can say of each.
MOST = {
    "cpu": MOST_CPUS * MOST_NODES,
    "memory_gib": MOST_MEMORY_GIB * MOST_NODES,
    "gpus": MOST_GPUS * MOST_NODES,
    "chips": MOST_GPUS * MOST_NODES,
    "ephemeral_storage_gib": MOST_MEMORY_GIB * MOST_NODES,
}


@given(milli_cpus=st.integers(0, 10**6), count=st.integers(1, MOST_NODES))
def test_the_quota_that_is_offered_is_within_what_the_nodes_have_however_many_they_are(
    milli_cpus: int, count: int
) -> None:
    nodes = {"f": with_more(milli_cpus, count)}

    def problems(**said: float) -> list[str]:
        wanted = StackQueues.model_validate(
            {
                "flavors": {"f": {}},
                "cluster_queues": {"cluster-queue": {"flavors": {"f": said}}},
            }
        )
        return [it.message for it in quota_problems(wanted, nodes)]

    for part in RESOURCES:
        (message,) = problems(**{part: MOST[part]})
        assert problems(**{part: float(message.rpartition("nearest: ")[2])}) == []


POOLS = ("cpu", "more", "gpu")


@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.sampled_from([None, *POOLS, "gpx"]),
        min_size=1,
    )
)
def test_the_pool_that_is_offered_for_a_flavor_is_free_for_it(flavors: dict[str, Any]) -> None:
    def problems(pools: dict[str, Any]) -> dict[str, str]:
        wanted = StackQueues.model_validate({"flavors": {k: {"pool": v} for k, v in pools.items()}})
        return {it.field: it.message for it in pool_problems(wanted, POOLS)}

    for field, message in problems(flavors).items():
        name = field.split(".")[2]
        offered = message.rpartition("nearest: ")[2]
        if "twice" not in message:
            assert set(offered.split(", ")) <= set(POOLS)
            continue
        rest = {key: pool for key, pool in flavors.items() if key != name}
        if not offered.startswith("leave"):
            for pool in offered.split(", "):
                assert field not in problems({**rest, name: pool})


CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "pools__gpu__nodes": st.integers(1, 6),
        f"servers__{SERVER}__replicas": st.integers(1, 4),
        f"servers__{SERVER}__gpus": st.sampled_from([1, 2]),
        f"servers__{SERVER}__requests__memory_gib": st.integers(2, 80),
        f"servers__{SERVER}__requests__cpu": st.integers(1, 24),
        f"jobs__{TUNING}__pods": st.integers(1, 6),
        f"jobs__{TUNING}__gpus": st.sampled_from([1, 2]),
        "buckets__bucket__mount__sidecar__memory_gib": st.integers(0, 60),
        "buckets__bucket__mount__sidecar__cpu": st.integers(0, 10),
        f"{ONE}__gpus": st.integers(0, 12),
        f"{ONE}__memory_gib": st.integers(0, 300),
        f"{ONE}__cpu": st.integers(0, 80),
    },
)


def parts(plan: Plan) -> tuple[PlannedServer, PlannedFineTuning, Quota]:
    assert plan.queues is not None
    (quota,) = plan.queues.quotas["cluster-queue"].values()
    return plan.servers[SERVER], plan.fine_tunings[TUNING], quota


def amounts(server: PlannedServer, tuning: PlannedFineTuning) -> tuple[Amounts, Amounts, Amounts]:
    """What a node has, and what a server's and a fine-tuning's pod take of it."""
    return (
        Amounts.of_node(server.pool.host),
        Amounts.of_pod(server.config.requests, server.config.gpus),
        Amounts.of_pod(tuning.requests, tuning.config.gpus, tuning.sidecar),
    )


def beside(server: PlannedServer, tuning: PlannedFineTuning, quota: Quota) -> int:
    """How many servers have quota when the fine-tuning has."""
    own = Amounts.of_pod(tuning.requests, tuning.config.gpus)
    asked, pods = server.config.requests, tuning.config.pods
    return min(
        (quota["nvidia.com/gpu"] - own.gpus * pods) // server.config.gpus,
        (quota["cpu"] - own.cpu_millicores * pods) // asked.millicores,
        (quota["memory"] - own.memory_mib * pods) // (asked.memory_gib * 1024),
    )


@settings(max_examples=60)
@given(values=CONFIGS)
def test_what_is_accepted_has_room_on_the_nodes_and_in_the_quota(values: dict[str, Any]) -> None:
    try:
        plan = validate(changed(MIXED, **values), secrets_set=TOKENS)
    except ConfigError:
        return
    server, tuning, quota = parts(plan)
    node, guest, pod = amounts(server, tuning)
    # As many servers as have quota beside the job, spread over the nodes, and the job's pods
    # wherever there is room.
    servers = min(server.config.most, beside(server, tuning, quota))
    left = [node] * server.pool.bounds.max
    for one in range(servers):
        left[one % len(left)] -= guest
    assert sum(it.holds(pod) for it in left) >= tuning.config.pods
    assert server.pool.bounds.max * node.holds(guest) >= server.config.least
    own = Amounts.of_pod(tuning.requests, tuning.config.gpus)
    for asked, pods in ((guest, server.config.least), (own, tuning.config.pods)):
        assert asked.gpus * pods <= quota["nvidia.com/gpu"]
        assert asked.cpu_millicores * pods <= quota["cpu"]
        assert asked.memory_mib * pods <= quota["memory"]
        assert asked.ephemeral_storage_mib * pods <= quota["ephemeral-storage"]


@settings(max_examples=60)
@given(gpus=st.integers(0, 5), memory_gib=st.integers(0, 200))
def test_the_pods_that_are_offered_do_not_wait_for_ever(gpus: int, memory_gib: int) -> None:
    field = f"jobs.{TUNING}.queue"
    quota = {f"{ONE}__gpus": gpus, f"{ONE}__memory_gib": memory_gib, "servers": None}
    try:
        validate(changed(MIXED, **quota), secrets_set=TOKENS)
    except ConfigError as error:
        (line,) = error.lines
        assert line.startswith(f"stack.{field}: 2 pods would wait")
        if offered := re.search(r"nearest: (\d+) pods?, or", line):
            quota[f"jobs__{TUNING}__pods"] = int(offered[1])
            assert validate(changed(MIXED, **quota), secrets_set=TOKENS)
