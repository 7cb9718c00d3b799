"""The rules of queues: what is offered for a wrong value is accepted, and what is accepted runs."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from stacks.train_and_serve_config import TrainAndServe

from catalog import Catalog
from stacks.blocks.kueue import Kueue
from stacks.config import ConfigError, validate
from stacks.quotas import RESOURCES, FlavorNodes
from stacks.rules.packing import Amounts
from stacks.rules.queues import kueue_problems, pool_problems
from stacks.rules.ray_fit import Host
from stacks.types import MOST_CPUS, MOST_GPUS, MOST_MEMORY_GIB, MOST_NODES
from tests.conftest import changed, stack_config
from tests.unit.test_config import SECRETS

FACTS = Catalog.load()
MIXED = stack_config("kueue-mixed")
ONE = "kueue__cluster_queues__cluster-queue__flavors__default-flavor"


def host(milli_cpus: int = 0) -> Host:
    """A machine that leaves so many more millicores to pods."""
    node = FACTS.allocatable("g2-standard-24")
    more = node.model_copy(update={"cpu_millicores": node.cpu_millicores + milli_cpus})
    return Host(FACTS.machine("g2-standard-24"), more)


# The most that a config can say of each.
MOST = {
    "cpu": MOST_CPUS * MOST_NODES,
    "memory_gib": MOST_MEMORY_GIB * MOST_NODES,
    "gpus": MOST_GPUS * MOST_NODES,
    "ephemeral_storage_gib": MOST_MEMORY_GIB * MOST_NODES,
}


@given(milli_cpus=st.integers(0, 10**6), count=st.integers(1, MOST_NODES))
def test_the_quota_that_is_offered_is_within_what_the_nodes_have_however_many_they_are(
    milli_cpus: int, count: int
) -> None:
    nodes = {"f": FlavorNodes("gpu_pool", host(milli_cpus), count)}

    def problems(**said: float) -> list[str]:
        wanted = Kueue.model_validate(
            {
                "flavors": {"f": {}},
                "cluster_queues": {"cluster-queue": {"flavors": {"f": said}}},
            }
        )
        return [
            it.message for it in kueue_problems(FACTS, wanted, nodes=nodes, namespaces=("llm",))
        ]

    for part in RESOURCES:
        (message,) = problems(**{part: MOST[part]})
        assert problems(**{part: float(message.rpartition("nearest: ")[2])}) == []


POOLS = ("cpu_pool", "extra_gpu_pools.more", "gpu_pool")


@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.sampled_from([None, *POOLS, "gpu_pol"]),
        min_size=1,
    )
)
def test_the_pool_that_is_offered_for_a_flavor_is_free_for_it(flavors: dict[str, Any]) -> None:
    def problems(pools: dict[str, Any]) -> dict[str, str]:
        wanted = Kueue.model_validate({"flavors": {k: {"pool": v} for k, v in pools.items()}})
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
        "gpu_pool__nodes": st.integers(1, 6),
        "server__replicas": st.integers(1, 4),
        "server__gpus": st.sampled_from([1, 2]),
        "server__requests__memory_gib": st.integers(2, 80),
        "server__requests__cpu": st.integers(1, 24),
        "fine_tune__pods": st.integers(1, 6),
        "fine_tune__gpus": st.sampled_from([1, 2]),
        "bucket__mount__sidecar__memory_gib": st.integers(0, 60),
        "bucket__mount__sidecar__cpu": st.integers(0, 10),
        f"{ONE}__gpus": st.integers(0, 12),
        f"{ONE}__memory_gib": st.integers(0, 300),
        f"{ONE}__cpu": st.integers(0, 80),
    },
)


def amounts(config: TrainAndServe) -> tuple[Amounts, Amounts, Amounts]:
    """What a node has, and what a server's and a fine-tuning's pod take of it."""
    server, job = config.server, config.fine_tune
    assert server is not None
    assert job is not None
    return (
        Amounts.of_node(config.gpu_host),
        Amounts.of_pod(server.requests, server.gpus),
        Amounts.of_pod(config.fine_tune_requests, job.gpus, config.sidecar),
    )


def beside(config: TrainAndServe) -> int:
    """How many servers have quota when the fine-tuning has."""
    assert config.server is not None
    assert config.fine_tune is not None
    (quota,) = config.quotas["cluster-queue"].values()
    own = Amounts.of_pod(config.fine_tune_requests, config.fine_tune.gpus)
    server, pods = config.server.requests, config.fine_tune.pods
    return min(
        (quota["nvidia.com/gpu"] - own.gpus * pods) // config.server.gpus,
        (quota["cpu"] - own.cpu_millicores * pods) // server.millicores,
        (quota["memory"] - own.memory_mib * pods) // (server.memory_gib * 1024),
    )


@settings(max_examples=60)
@given(values=CONFIGS)
def test_what_is_accepted_has_room_on_the_nodes_and_in_the_quota(values: dict[str, Any]) -> None:
    try:
        config = validate(changed(MIXED, **values), secrets_set=SECRETS)
    except ConfigError:
        return
    assert isinstance(config, TrainAndServe)
    assert config.server is not None
    assert config.fine_tune is not None
    node, guest, pod = amounts(config)
    # As many servers as have quota beside the job, spread over the nodes, and the job's pods
    # wherever there is room.
    servers = min(config.server.most, beside(config))
    left = [node] * config.gpu_nodes_at_most
    for server in range(servers):
        left[server % len(left)] -= guest
    assert sum(it.holds(pod) for it in left) >= config.fine_tune.pods
    assert config.gpu_nodes_at_most * node.holds(guest) >= config.server.least
    (quota,) = config.quotas["cluster-queue"].values()
    own = Amounts.of_pod(config.fine_tune_requests, config.fine_tune.gpus)
    for asked, pods in ((guest, config.server.least), (own, config.fine_tune.pods)):
        assert asked.gpus * pods <= quota["nvidia.com/gpu"]
        assert asked.cpu_millicores * pods <= quota["cpu"]
        assert asked.memory_mib * pods <= quota["memory"]
        assert asked.ephemeral_storage_mib * pods <= quota["ephemeral-storage"]


@settings(max_examples=60)
@given(gpus=st.integers(0, 5), memory_gib=st.integers(0, 200))
def test_the_pods_that_are_offered_do_not_wait_for_ever(gpus: int, memory_gib: int) -> None:
    quota = {f"{ONE}__gpus": gpus, f"{ONE}__memory_gib": memory_gib, "server": None}
    try:
        validate(changed(MIXED, **quota), secrets_set=SECRETS)
    except ConfigError as error:
        (line,) = error.lines
        assert line.startswith("stack.fine_tune.queue: 2 pods would wait")
        if offered := re.search(r"nearest: (\d+) pods?, or", line):
            pods = int(offered[1])
            assert validate(changed(MIXED, **quota, fine_tune__pods=pods), secrets_set=SECRETS)
