"""Who reaches a model server, as a sentence for those who approve a preview. No Pulumi import."""

from collections.abc import Iterator

from components.base.pod_access import CLIENT_LABEL
from components.servers.engine import PORT, InferenceEngine
from stacks.parts.servers.plan import PlannedServer
from stacks.plan import Plan
from stacks.tokens import SERVER_KEY

_ANSWERS = {
    InferenceEngine.VLLM: "nothing but paths on which the model answers, /health and /metrics",
    InferenceEngine.TGI: "TGI's paths, none of which changes the server",
}


def lines(plan: Plan) -> Iterator[str]:
    """One for each server. The NetworkPolicy is that of components/base/pod_access.py."""
    for server in plan.servers.values():
        yield f"{server.field}: {_clients(plan, server)}; {_key(server)}"


def _clients(plan: Plan, server: PlannedServer) -> str:
    own = plan.stack.namespace
    others = "every other namespace" if own == "default" else "every other namespace but default"
    return (
        f"port {PORT} has {_ANSWERS[server.config.engine]}; it is reached by pods of {own} with "
        f"the label {CLIENT_LABEL}: {server.name} and by pods of {others}, those of teams too"
    )


def _key(server: PlannedServer) -> str:
    if server.config.api_key:
        return f"they bring the key of {SERVER_KEY}"
    return "it asks nobody for a key"
