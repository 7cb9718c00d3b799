"""HorizontalPodAutoscaler: it owns its target's replicas.

There are no metrics in here, so a target only comes into the range of its autoscaler.
"""

from collections.abc import Sequence

from kube.objects import Node
from sandbox.kube.store import Store
from sandbox.memory_kube.references import scaled


def run_autoscalers(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for scaler in store.all("HorizontalPodAutoscaler"):
        target = scaled(store, scaler)
        if target is None:
            name = scaler["spec"]["scaleTargetRef"]["name"]
            why = (
                f"the HPA controller was unable to get the target's current scale: {name} not found"
            )
            condition = {"type": "AbleToScale", "status": "False", "reason": "FailedGetScale"}
            store.patch(scaler, status={"conditions": [{**condition, "message": why}]})
            continue
        spec, now = scaler["spec"], target["spec"]["replicas"]
        wanted = min(max(now, spec["minReplicas"]), spec["maxReplicas"])
        store.patch(target, spec={**target["spec"], "replicas": wanted})
        replicas = {"currentReplicas": wanted, "desiredReplicas": wanted}
        condition = {"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale"}
        store.patch(scaler, status={**replicas, "conditions": [condition]})
