"""The nodes that Autopilot makes beside a real scheduler, which gives them to whom it will."""

from __future__ import annotations

from pathlib import Path

from kube.objects import JsonObject, Node
from sandbox.gke.agent.live import state_of
from sandbox.gke.agent.pools import Plan, plan_nodes
from sandbox.kube.store import Store
from tests.unit.memory_kube_samples import asking, pod
from tests.unit.simulated_project import APIS, Project

UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def waiting(name: str) -> JsonObject:
    """A pod that fills the node that is made for it."""
    made = pod(name, spec={}, resources=asking(cpu="12", memory="32Gi"))
    return {**made, "status": {"phase": "Pending", "conditions": [UNSCHEDULABLE]}}


def running(name: str, node: Node) -> JsonObject:
    made = waiting(name)
    return {**made, "spec": {**made["spec"], "nodeName": node.name}, "status": {"phase": "Running"}}


def test_a_pod_whose_node_was_given_to_another_gets_another(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.enable(*APIS)
    net = project.network()
    cluster = project.cluster(
        net,
        project.subnet(net, region="us-central1"),
        location="us-central1",
        nodeLocations=None,
        enableAutopilot=True,
    )

    def plan(*pods: JsonObject, there: list[Node]) -> Plan:
        return plan_nodes(Store(state_of(pods)), there, cluster, project.cloud)

    [first] = plan(waiting("late"), there=[]).nodes
    taken = [running("early", first), waiting("late")]
    second = plan(*taken, there=[first])
    assert second.waiting == {}
    names = [node.name for node in second.nodes]
    assert names[0] == first.name
    assert len(set(names)) == 2
    # And where that one goes to a third as well.
    taken = [running("early", first), running("third", second.nodes[1]), waiting("late")]
    third = plan(*taken, there=list(second.nodes))
    assert len({node.name for node in third.nodes}) == 3
    # Until the pod is on it, it stays the only one.
    again = plan(*taken, there=list(third.nodes))
    assert [node.name for node in again.nodes] == [node.name for node in third.nodes]
