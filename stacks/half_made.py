"""Node pools and clusters whose create or change ended in an error: the next run says so.

The provider keeps such a resource in the state, and the engine notes the error beside it and
updates the resource in the next run, though no input differs. That update waits for a resting
state, of which the error states are some, changes nothing and succeeds: without a word of the
program's own, a run would go on to wait for pods on machines that are not there
(hashicorp/terraform-provider-google-beta resource_container_node_pool.go:939, :1049 and :2165,
resource_container_cluster.go:3644, :4078 and :5962, 93c65b2d60; pulumi/pulumi
pkg/resource/deploy/step_generator.go, InitErrors; pulumi/pulumi-terraform-bridge
pkg/tfbridge/provider.go:1413, 59de6c661).

A size that an update set stays with GKE when the update fails, and the record keeps the size before
it: a config that goes back to that one differs in nothing, and sets nothing (resource_container_
node_pool.go:1053, d.Partial, and :1870; hashicorp/terraform helper/schema/resource_data.go, State;
pulumi/pulumi pkg/resource/deploy/step.go, UpdateStep; seen, CLI 3.256).
"""

import shlex
from collections.abc import Mapping
from typing import Any

import pulumi

from stacks.machine_price import price_of, usd
from stacks.out_of_stock import ways
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.refusal import CLUSTER, NODE_POOL
from stacks.warned_steps import warn_of


def install(plan: Plan) -> None:
    """Has `preview` and `up` say what an earlier run left in an error state."""
    stack = pulumi.get_stack()

    def left(args: pulumi.ResourceHookArgs) -> str | None:
        old, new = args.old_inputs or {}, args.new_inputs or {}
        return warning(plan, stack, args.type, args.name, old, new)

    warn_of("half-made", "before_update", (NODE_POOL, CLUSTER), left)


def warning(
    plan: Plan,
    stack: str,
    token: str,
    name: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
) -> str | None:
    """What to say of an update; None where an input differs, which is why the engine updates.
    `stack` is what Pulumi calls it."""
    if old != new:
        return None
    if token == CLUSTER:
        return _of_cluster(plan, stack, name)
    pool = next((it for it in plan.pools.values() if it.has(name)), None)
    return None if pool is None else _of_pool(plan, stack, name, pool)


def _of_pool(plan: Plan, stack: str, name: str, pool: PlannedPool) -> str:
    price = price_of(pool, plan.facts)
    each = "" if price is None else f", {usd(price.low, price.high)} USD an hour each"
    count = "slices" if pool.kind == "tpu" else "nodes"
    return (
        f"{pool.field}: an earlier run left {name} in an error. Machines of {pool.machine.name} "
        f"are missing, or something else is wrong with them; those that came are paid for{each}. "
        "GKE goes on asking for the others, and pods that need them wait. "
        f"`{plan.kubectl} get nodes -l "
        f"cloud.google.com/gke-nodepool={shlex.quote(_cloud_name(pool, name))}` "
        f"lists those that came. To do without the others: another {pool.field}.{count}. To "
        f"have them elsewhere: {', or '.join(ways(plan, pool))}. Then `pulumi up --stack {stack}`"
        f"{_larger(pool, stack)}"
    )


def _larger(pool: PlannedPool, stack: str) -> str:
    if pool.scales or pool.kind == "tpu":
        return ""
    return (
        f". If that run was to have more than {pool.nodes} nodes, GKE still makes them, and this "
        f"run does not take them back: `pulumi refresh --stack {stack}`, then `pulumi up --stack "
        f"{stack}` does"
    )


def _cloud_name(pool: PlannedPool, resource: str) -> str:
    number = resource.removesuffix("-pool").rpartition("-")[2]
    return pool.slice_name(int(number)) if pool.kind == "tpu" else pool.pool_name


def _of_cluster(plan: Plan, stack: str, name: str) -> str:
    where = [f"--location={plan.location}", f"--project={plan.stack.project}"]
    cluster = plan.cluster_name
    return (
        f"cluster: GKE created {name} in an error state, and this run goes on with it. "
        f"`gcloud container clusters describe {shlex.join([cluster, *where])}` says why in its "
        "conditions. The node pool default-pool, with which GKE begins a cluster, may be left and "
        "is paid for: `gcloud container node-pools delete default-pool "
        f"{shlex.join([f'--cluster={cluster}', *where])}`. To begin again: "
        f"`pulumi destroy --stack {stack}`, then `pulumi up --stack {stack}`"
    )
