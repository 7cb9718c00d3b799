"""What `up` says of a pool whose machines did not come, and of what waited for machines in vain:
what is paid for, and what the config could say instead, each way tried.

The provider of pools fails with the pool's state after a create, with GKE's words after a change of
the size and with Compute Engine's where GKE refuses at once (hashicorp/terraform-provider-google-
beta resource_container_node_pool.go:939, :1049 and :1870, 93c65b2d60; hashicorp/
terraform-provider-google#2970, #6287 and #10823). That of Kubernetes says of a RayCluster that it
timed out and no more. Of a Deployment it says what containers of its pods ran into, and nothing of
pods without a node (pulumi/pulumi-kubernetes provider/pkg/await: internal/awaiter.go:93,
error.go:79, deployment.go:811 and checker/pod/check.go:36, 94977969).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pulumi

from catalog.zones import nearest_zones, region_of_name
from stacks.config import ConfigError, validate
from stacks.machine_price import hourly_cost, price_of, usd
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.ray.plan import PlannedRay
from stacks.parts.servers.plan import PlannedServer
from stacks.plan import Plan
from stacks.refusal import NODE_POOL
from stacks.tried import with_value
from stacks.workloads import DEPLOYMENT, PROVISIONING_REQUEST, RAY_CLUSTER

NO_STOCK = re.compile(
    r"the zone (?P<zone>\S+) does not have enough (?P<machine>\S+) available", re.IGNORECASE
)
HALF_MADE = re.compile(r'NodePool (?P<pool>\S+) was created in the error state "\w+"')
GROWN = re.compile(
    r"updating GKE node pool size: .*Expected \d+, running (?P<came>\d+), .*GCE_STOCKOUT", re.S
)
_IN_VAIN = re.compile(r"timed out waiting (?:for the condition|to be Ready)")
# How podError of check.go begins: a container of a pod that has its node.
_CONTAINER = "[Pod "
# In the first line of each warning.
LACKS = "lacks machines of"
_WAITING = (DEPLOYMENT, PROVISIONING_REQUEST, RAY_CLUSTER)
# What ends the logical names of objects that pods are waited for with.
_OF_SERVERS, _OF_RAY = ("deployment", "service"), ("cluster", "machines-request")
_MOST_OFFERS = 3


def install(plan: Plan) -> None:
    """Have `up` say it after the error of such a pool, or of what waits for one."""

    stack = pulumi.get_stack()
    hook = pulumi.ErrorHook("out-of-stock", lambda args: tell(plan, stack, args))
    binding = pulumi.ResourceHookBinding(on_error=[hook])

    def bind(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ not in (NODE_POOL, *_WAITING):
            return None
        own = pulumi.ResourceOptions(hooks=binding)
        return pulumi.ResourceTransformationResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, own)
        )

    pulumi.runtime.register_stack_transformation(bind)


def tell(plan: Plan, stack: str, args: pulumi.ErrorHookArgs) -> bool:
    """Warn of an error. Never have the engine try again: the provider has waited."""
    if args.failed_operation == "delete":
        return False
    about = warning if args.type == NODE_POOL else waited_in_vain
    if (line := about(plan, stack, args.name, args.errors[0] if args.errors else "")) is not None:
        pulumi.log.warn(line)
    return False


def warning(plan: Plan, stack: str, name: str, message: str) -> str | None:
    """What to say of a node pool's failed create or change, a line and one for each way on; None
    where its machines are not what it lacks, or where the pool is another's. `stack` is what
    Pulumi calls it."""
    pool = next((it for it in plan.pools.values() if it.has(name)), None)
    refused, grown = NO_STOCK.search(message), GROWN.search(message)
    if pool is None or not (refused or grown or HALF_MADE.search(message)):
        return None
    offers, refresh = list(ways(plan, pool)), f"`pulumi refresh --stack {stack}`"
    came = int(grown["came"]) if grown else 0
    if grown and accepts(plan, f"{pool.field}.nodes", came):
        offers.insert(0, f"stack.{pool.field}.nodes: {came}, after {refresh}")
    price = price_of(pool, plan.facts)
    each = "" if price is None else f", {usd(price.low, price.high)} USD an hour each"
    paid = f"; those that came are paid for{each}, and GKE goes on asking for the others"
    first = f"{pool.field}: {pool.zone} {LACKS} {pool.machine.name}, or they do not start"
    left = "" if refused and not grown else paid
    offers.append(f"the same `pulumi up --stack {stack}` again, later")
    return "\n".join([first + left, *(f"  nearest: {it}" for it in offers)])


def waited_in_vain(plan: Plan, stack: str, name: str, message: str) -> str | None:
    """What to say of a workload, or of a request for its machines, that was not ready in time; None
    where its pods have nodes, or where it is another's. `stack` is what Pulumi calls it."""
    owner, pools = _owner(plan, name), waits_for(plan, name)
    if owner is None or not pools or not _IN_VAIN.search(message) or _CONTAINER in message:
        return None
    wanted = " and ".join(f"{it.field} ({it.machine.name} in {it.zone})" for it in pools)
    offers = [*(way for it in pools for way in ways(plan, it)), *more_time(plan, name)]
    first = (
        f"{owner.field}: where its pods have no node, it {LACKS} {wanted}. GKE goes on "
        "asking for them, and those that came are paid for: an hour of the stack's machines costs "
        f"{hourly_cost(plan.pools.values(), plan.facts)}. `{plan.kubectl} get pods --namespace="
        f"{plan.stack.namespace} --field-selector=status.phase=Pending` lists pods without a node"
    )
    offers.append(
        f"the same `pulumi up --stack {stack}` again, later: pods start by themselves once "
        "machines come"
    )
    return "\n".join([first, *(f"  nearest: {it}" for it in offers)])


def waits_for(plan: Plan, resource: str) -> list[PlannedPool]:
    """Pools without whose machines a server or a RayCluster, which has a resource of this logical
    name, is not ready."""
    owner = _owner(plan, resource)
    if isinstance(owner, PlannedServer):
        return [owner.pool]
    if owner is None:
        return []
    groups = list(owner.groups.values())
    if resource.endswith("-request"):
        return [it.first for it in groups if it.queued]
    if owner.head_is_enough:
        return [] if owner.head_pool is None else [owner.head_pool]
    return list({pool.name: pool for it in groups for pool in it.pools}.values())


def more_time(plan: Plan, resource: str) -> Iterator[str]:
    """The field that has a server waited for longer."""
    owner = _owner(plan, resource)
    if isinstance(owner, PlannedServer):
        yield f"stack.{owner.field}.minutes: more than {owner.config.minutes}"


def _owner(plan: Plan, resource: str) -> PlannedServer | PlannedRay | None:
    parts = {
        **{f"{it.name}-{end}": it for it in plan.servers.values() for end in _OF_SERVERS},
        **{f"{it.name}-{end}": it for it in plan.ray.values() for end in _OF_RAY},
    }
    return parts.get(resource)


def ways(plan: Plan, pool: PlannedPool) -> Iterator[str]:
    """Other zones of the region, other ways to have the machine, and other regions."""
    facts, path, zone = plan.facts, pool.field, pool.zone
    having = [it for it in facts.zones_offering(pool.machine.name) if it != zone]
    near = [it for it in having if region_of_name(it) == region_of_name(zone)]
    fitting = [it for it in near if accepts(plan, f"{path}.zone", it)]
    if fitting:
        yield f"stack.{path}.zone: {' or '.join(fitting[:_MOST_OFFERS])}"
    others = [it for it in pool.machine.capacity_modes if it != pool.config.capacity.mode]
    modes = [it for it in others if accepts(plan, f"{path}.capacity", {"mode": it})]
    if modes:
        yield f"stack.{path}.capacity: {' or '.join(f'{{mode: {it}}}' for it in modes)}"
    far = [it for it in having if it not in near]
    if far and not fitting:
        yield f"gcp:zone, with its gcp:region: {nearest_zones(zone, far)}; the whole stack moves"


def accepts(plan: Plan, path: str, value: Any) -> bool:
    """Whether the stack's config with another value at a path is right."""
    given = plan.stack.model_dump(exclude_unset=True, exclude={"secrets_set"})
    other = with_value(given, path, value)
    try:
        validate(other or {}, secrets_set=plan.stack.secrets_set)
    except ConfigError:
        return False
    return True
