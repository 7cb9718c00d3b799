"""What a create may wait for in vain: `preview` and `up` say so before it begins.

A pool of a fixed size fails with one machine that is out of stock, on spot too. The provider waits
for the pods of a Deployment and of its Service (pulumi/pulumi-kubernetes provider/pkg/await/
awaiters.go, 0012b9d2), also for those of a server on machines that come when pods are pending.
"""

import pulumi

from stacks.parts.pools.plan import PlannedPool
from stacks.parts.servers.plan import PlannedServer
from stacks.plan import Plan
from stacks.refusal import NODE_POOL
from stacks.warned_steps import warn_of
from stacks.workloads import DEPLOYMENT


def install(plan: Plan) -> None:
    """Has `preview` and `up` say of each such create what it waits for."""

    def scarce(args: pulumi.ResourceHookArgs) -> str | None:
        return warning(plan, args.type, args.name)

    warn_of("scarce-machines", "before_create", (NODE_POOL, DEPLOYMENT), scarce)


def warning(plan: Plan, token: str, name: str) -> str | None:
    """What to say of a create; None where it waits for nothing scarce."""
    if token == NODE_POOL:
        pool = next((it for it in plan.pools.values() if it.has(name)), None)
        return None if pool is None or not _is_fixed_spot(pool) else _of_pool(pool)
    server = next((it for it in plan.servers.values() if f"{it.name}-deployment" == name), None)
    if server is None or not _comes_later(plan, server.pool):
        return None
    return _of_server(server)


def _is_fixed_spot(pool: PlannedPool) -> bool:
    starts_full = not pool.from_zero and not pool.autopilot
    return pool.is_spot and pool.kind != "cpu" and starts_full


def _comes_later(plan: Plan, pool: PlannedPool) -> bool:
    return pool.from_zero or (plan.autopilot and pool.is_spot)


def _of_pool(pool: PlannedPool) -> str:
    what = "the machine is" if pool.nodes == 1 else f"one of the {pool.nodes} machines is"
    return (
        f"{pool.field}: `up` fails where {what} out of stock on spot, for the pool does not begin "
        f"with none: {pool.never_pending}. Those that came stay and are paid for; nearest: "
        f"{pool.field}.capacity {{mode: reservation}}, or the same `up` again, later"
    )


def _of_server(server: PlannedServer) -> str:
    pool, minutes = server.pool, server.config.minutes
    return (
        f"{server.field}: `up` waits {minutes} min for a machine of {pool.field}, and fails where "
        f"{pool.config.capacity.mode} has none by then. The server then starts by itself once "
        f"there is one; nearest: a longer {server.field}.minutes, or machines on demand"
    )
