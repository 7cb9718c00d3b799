"""GKE's parts beside a real control plane, as far as they are pure: nodes as objects and back, what
the autoscaler adds, the TPU webhook's numbers, conditions with times.

That a real API server takes what they write, tests/kube says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.base.taints import NodeTaintArgs, toleration
from kube.objects import JsonObject, Node, Taint
from sandbox.gke.agent import machines
from sandbox.gke.agent.autoscaler import additions, is_waiting
from sandbox.gke.agent.install import own_objects
from sandbox.gke.agent.slices import PCIE_ROOT, slices_of_node
from sandbox.gke.agent.statuses import dated
from sandbox.gke.agent.tpu_pods import Host, assigned, hosts_taken, next_host, problem
from sandbox.gke.agent.webhooks import Webhooks
from sandbox.kube.scheduler import Candidate

GPU = "nvidia.com/gpu"
MACHINE = Node(
    name="gke-a-gpu-0",
    pool="gpu",
    labels={"cloud.google.com/gke-nodepool": "gpu"},
    taints=(Taint(key=GPU, value="present"),),
    allocatable={"cpu": "24", "memory": "98304Mi", GPU: "2"},
    networks=(("net", "sub"),),
    devices={"mrdma.google.com": 2, "netdev.google.com": 1},
)


def test_a_node_is_read_back_as_it_was_written():
    live = machines.new_manifest(MACHINE)

    assert machines.is_machine(live)
    assert machines.read(live) == MACHINE
    assert not machines.has_drifted(MACHINE, live)
    assert machines.offers(MACHINE, live) == {}


def test_the_api_servers_own_way_to_write_an_amount_is_no_change():
    live = machines.new_manifest(MACHINE)
    live["status"]["allocatable"] = {**MACHINE.allocatable, "memory": "96Gi"}

    assert machines.offers(MACHINE, live) == {}


def test_a_node_offers_a_network_once_it_is_ready_and_no_longer_than_it_is():
    live = machines.new_manifest(MACHINE)
    name = "networking.gke.io.networks/rdma-0"
    offering = replace(MACHINE, allocatable={**MACHINE.allocatable, name: "1"})

    assert machines.offers(offering, live) == {name: "1"}
    assert machines.offers(MACHINE, machines.new_manifest(offering)) == {name: None}
    assert machines.without_networks(offering) == MACHINE


def test_kubernetes_own_taints_stay_and_are_none_of_the_pools():
    live = machines.new_manifest(MACHINE)
    not_ready = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    live["spec"]["taints"].append(not_ready)

    assert not_ready in machines.manifest(MACHINE, live)["spec"]["taints"]
    assert machines.read(live).taints == MACHINE.taints
    assert not machines.has_drifted(MACHINE, live)


def test_a_label_that_the_pool_no_longer_gives_is_a_drift():
    live = machines.new_manifest(MACHINE)
    live["metadata"]["labels"]["team"] = "a"
    live["metadata"]["managedFields"] = [
        {
            "manager": "gke-agent",
            "operation": "Apply",
            "fieldsV1": {"f:metadata": {"f:labels": {"f:team": {}}}},
        }
    ]

    assert machines.has_drifted(MACHINE, live)


def test_each_interface_that_can_be_claimed_is_a_device_of_its_class():
    live = {"metadata": {"uid": "1"}}

    (interfaces,) = slices_of_node(MACHINE, live)
    devices = interfaces["spec"]["devices"]

    assert [device["name"] for device in devices] == ["gpu0rdma0", "gpu1rdma0", "eth1"]
    rdma = [device["attributes"]["dra.net/rdma"]["bool"] for device in devices]
    assert rdma == [True, True, False]


def test_gpus_to_claim_are_two_at_a_root_with_two_interfaces():
    devices = {"mrdma.google.com": 8, "gpu.nvidia.com": 8}
    interfaces, gpus = slices_of_node(replace(MACHINE, devices=devices), {"metadata": {"uid": "1"}})

    assert (interfaces["spec"]["driver"], gpus["spec"]["driver"]) == ("dra.net", "gpu.nvidia.com")
    roots = [
        [device["attributes"][PCIE_ROOT]["string"] for device in each["spec"]["devices"]]
        for each in (interfaces, gpus)
    ]
    assert roots[0] == roots[1]
    assert [roots[0].count(root) for root in dict.fromkeys(roots[0])] == [2, 2, 2, 2]


def waiting(name: str, gpus: int, slice_name: str = "") -> Candidate:
    limits = {GPU: str(gpus)}
    toleration = {"key": GPU, "operator": "Exists"}
    spec = {"tolerations": [toleration], "containers": [{"resources": {"limits": limits}}]}
    return Candidate(key=name, spec=spec, slice=slice_name)


def pool(name: str, size: int) -> list[Node]:
    numbers = range(size)
    return [replace(MACHINE, name=f"{name}-{number}", pool=name) for number in numbers]


def names(nodes: list[Node]) -> list[str]:
    return [node.name for node in nodes]


def test_no_more_nodes_are_added_than_the_waiting_pods_need():
    pods = [waiting("a", 1), waiting("b", 1), waiting("c", 2)]

    assert names(additions(pods, [], [(pool("gpu", 4), False)])) == ["gpu-0", "gpu-1"]


def test_room_on_the_nodes_that_are_there_is_used_first():
    assert additions([waiting("a", 2)], pool("old", 1), [(pool("gpu", 4), False)]) == []


def test_no_node_is_added_for_a_pod_that_none_would_take():
    assert additions([waiting("a", 3)], [], [(pool("gpu", 4), False)]) == []


def test_no_node_is_added_for_a_pod_whose_volume_is_missing():
    pod = replace(waiting("a", 1), blocked='persistentvolumeclaim "data" not found')

    assert additions([pod], [], [(pool("gpu", 4), False)]) == []


def test_the_first_pool_that_fits_is_taken():
    pools = [(pool("one", 2), False), (pool("two", 2), False)]

    assert names(additions([waiting("a", 1)], [], pools)) == ["one-0"]


def test_a_teams_pool_grows_only_for_pods_that_tolerate_its_taint():
    team = NodeTaintArgs(key="team", value="vision", effect="NoSchedule")
    taint = Taint(key=team.key, value=team.value, effect=team.effect)
    theirs = [replace(node, taints=(*node.taints, taint)) for node in pool("theirs", 2)]
    stranger, member = waiting("a", 1), waiting("b", 1)
    spec = {**member.spec, "tolerations": [*member.spec["tolerations"], toleration(team)]}

    assert additions([stranger], [], [(theirs, False)]) == []
    added = additions([stranger, replace(member, spec=spec)], [], [(theirs, False)])
    assert names(added) == ["theirs-0"]


def test_a_slice_of_several_hosts_comes_whole():
    assert len(additions([waiting("a", 1, "s")], [], [(pool("slice", 4), True)])) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"spec": {"nodeName": "n"}},
        {"status": {"nominatedNodeName": "n", "conditions": []}},
        {"metadata": {"deletionTimestamp": "now"}},
        {"metadata": {"ownerReferences": [{"kind": "DaemonSet", "controller": True}]}},
    ],
)
def test_only_pods_that_nothing_else_will_place_wait_for_a_node(change: JsonObject):
    unscheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    pod = {"metadata": {}, "spec": {}, "status": {"conditions": [unscheduled]}}

    assert is_waiting(pod)
    assert not is_waiting({**pod, **change})


def ray_pod(**labels: str) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "default",
            "labels": {"ray.io/cluster": "c", "ray.io/group": "tpus", **labels},
        },
        "spec": {
            "nodeSelector": {"cloud.google.com/gke-tpu-topology": "4x4"},
            "containers": [
                {"name": "ray", "resources": {"limits": {"google.com/tpu": "4"}}},
                {"name": "log", "env": [{"name": "A", "value": "1"}]},
            ],
        },
    }


def test_hosts_are_numbered_slice_by_slice():
    made: list[JsonObject] = []
    for _ in range(6):
        pod = ray_pod()
        made.append(assigned(pod, next_host(pod, [*hosts_taken(made)])))

    hosts = [(host.replica, host.worker) for host in hosts_taken(made)]
    assert hosts == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]


def test_without_the_add_on_the_webhook_for_tpus_leaves_pods_and_clusters_alone():
    # The API server would be asked for the hosts that are taken.
    nobody: Any = None
    handlers = Webhooks(nobody, nobody, lambda: False).handlers
    pod = ray_pod()
    cluster = {"metadata": {"name": "c"}, "spec": {"workerGroupSpecs": [{"numOfHosts": 3}]}}

    assert handlers["/tpu-pods"]({"object": pod}) == pod
    assert handlers["/ray-clusters"]({"object": cluster}) == cluster


def test_a_pod_that_comes_again_takes_the_place_of_the_lost_one():
    taken = [
        Host("default", "c", "tpus", replica, worker) for replica in (0, 1) for worker in range(4)
    ]
    lost = taken.pop(5)

    assert next_host(ray_pod(), taken) == lost


def test_a_lost_slice_is_made_anew_before_another():
    taken = [Host("default", "c", "tpus", 1, worker) for worker in range(4)]

    assert next_host(ray_pod(), taken).replica == 0


def test_the_operators_own_numbers_go_before():
    labels = {"ray.io/worker-group-replica-index": "3", "ray.io/replica-host-index": "2"}

    assert next_host(ray_pod(**labels), []) == Host("default", "c", "tpus", 3, 2)


def test_the_hosts_of_a_slice_know_each_other_and_keep_together():
    pod = assigned(ray_pod(), Host("default", "c", "tpus", 1, 2))

    spec = pod["spec"]
    environment = {each["name"]: each["value"] for each in spec["containers"][0]["env"]}
    hosts = environment["TPU_WORKER_HOSTNAMES"].split(",")
    assert environment["TPU_WORKER_ID"] == "2"
    assert hosts[2] == f"{spec['hostname']}.{spec['subdomain']}" == "tpus-1-2.c-headless"
    assert pod["metadata"]["labels"]["replicaIndex"] == "tpus-1"
    (term,) = spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["topologyKey"] == "cloud.google.com/gke-nodepool"
    assert spec["containers"][1]["env"] == [{"name": "A", "value": "1"}]


def test_a_long_name_loses_its_start_and_defaults_are_written_over():
    cluster, pod = "0123456789-" + 4 * "abcdefghij", ray_pod()
    values = {"TPU_WORKER_ID": "0", "TPU_WORKER_HOSTNAMES": "localhost", "TPU_NAME": "mine"}
    env = [{"name": name, "value": value} for name, value in values.items()]
    pod["spec"]["containers"][0]["env"] = env

    spec = assigned(pod, Host("default", cluster, "tpus", 1, 2))["spec"]
    environment = {each["name"]: each["value"] for each in spec["containers"][0]["env"]}
    assert spec["subdomain"] == "r" + 4 * "abcdefghij" + "-headless"
    assert environment["TPU_WORKER_HOSTNAMES"].endswith(f"tpus-1-3.{spec['subdomain']}")
    assert (environment["TPU_WORKER_ID"], environment["TPU_NAME"]) == ("2", "mine")


def test_a_ray_pod_with_tpus_and_no_topology_is_refused():
    pod = ray_pod()
    pod["spec"].pop("nodeSelector")

    assert problem(pod).endswith("missing TPU topology nodeSelector")


def test_a_condition_keeps_its_time_until_its_status_changes():
    before = {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "old"}]}
    same = {"conditions": [{"type": "Ready", "status": "True"}]}
    other = {"conditions": [{"type": "Ready", "status": "False"}]}

    assert dated(same, before, "new") == before
    assert dated(other, before, "new")["conditions"][0]["lastTransitionTime"] == "new"


def test_the_definitions_are_those_of_the_kinds_that_stacks_use():
    made = [*own_objects()]

    kinds = {
        obj["spec"]["names"]["kind"] for obj in made if obj["kind"] == "CustomResourceDefinition"
    }
    assert kinds == {
        "AutoscalingMetric",
        "ComputeClass",
        "PodMonitoring",
        "ProvisioningRequest",
    }
