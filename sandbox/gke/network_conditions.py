"""Network and GKENetworkParamSet: their conditions, and which Network uses a parameter set."""

from collections.abc import Sequence

from kube.objects import JsonObject, Node, name_of
from sandbox.gke.networks import PARAMS_KIND, Problem, network_problem, params_problem, users_of
from sandbox.kube.store import Store


def check_networks(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for params in store.all(PARAMS_KIND):
        status: JsonObject = {
            "conditions": [_condition("Ready", "GNPReady", params_problem(store, params))]
        }
        if users := users_of(store, params):
            status["networkName"] = name_of(users[0])
        store.patch(params, status=status)
    for network in store.all("Network"):
        problem = network_problem(store, network)
        ready = problem and ("ParamsNotReady", problem[1])
        conditions = [
            _condition("ParamsReady", "GNPParamsReady", problem),
            _condition("Ready", "NetworkReady", ready),
        ]
        store.patch(network, status={"conditions": conditions})


def _condition(kind: str, good: str, problem: Problem | None) -> JsonObject:
    reason, message = problem or (good, "")
    status = "False" if problem else "True"
    return {"type": kind, "status": status, "reason": reason, "message": message}
