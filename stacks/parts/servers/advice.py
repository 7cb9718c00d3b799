"""Servers that may lose their quota while they are updated. No Pulumi import."""

from collections.abc import Iterator

from components.servers.manifest import Rollout
from stacks.parts.servers.queue_order import neighbours, own_priority
from stacks.parts.servers.rollouts import rollout_of
from stacks.plan import Plan


def advice(plan: Plan) -> Iterator[str]:
    """Of a server that is made anew once the one before is gone, who has its quota meanwhile and
    keeps it."""
    for server in plan.servers.values():
        if rollout_of(plan, server) is not Rollout.RECREATE:
            continue
        own = own_priority(plan, server)
        keep = [it.field for it in neighbours(plan, server) if it.priority >= own]
        if keep:
            yield (
                f"{server.field}.priority: a changed server is made once the one before is gone, "
                f"for its class preempts. Kueue gives its quota to what waits then, and of "
                f"{', '.join(keep)}, whose priority is no lower, the server waits for the end; "
                f"nearest: preempts false for its class, or a workload_priority above {own}"
            )


def links(plan: Plan) -> Iterator[str]:
    """Of a Service that gives other pods a variable of vLLM's own; pods of servers are without
    (vllm-project/vllm issue 34199; kubernetes/kubernetes v1.35.4 pkg/kubelet/envvars/envvars.go,
    FromServices). None is refused: pods that started before it run on."""
    others = [f"{key}.{it}" for key in ("jobs", "ray") for it in getattr(plan.stack, key)]
    if others and (server := plan.servers.get("vllm")) is not None:
        yield (
            f"{server.field}: its Service gives each pod of its namespace that starts later "
            f"VLLM_PORT, an address, and vLLM ends where that is no number: {', '.join(others)} "
            "cannot run vLLM; nearest: another name, such as chat"
        )
