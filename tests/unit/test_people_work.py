"""People's work in a cluster: what of all objects it is, whose, and what a run does with it.

Whether controllers then act so is tried on a control plane (`tests/kube/test_work_of_others.py`).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from components.base.labels import MANAGED_BY, STACK, SUBMITTED_BY, name_as_label
from components.base.pod_access import TEAM_LABEL
from kube.kinds import (
    JOB,
    JOB_SET,
    LOCAL_QUEUE,
    NAMESPACE,
    PERSISTENT_VOLUME,
    POD,
    RAY_CLUSTER,
    RAY_JOB,
    WORKLOAD,
)
from kube.objects import Taint
from kube.people.going import Effect, Going, effects
from kube.people.leftovers import Leftover
from kube.people.networks import HOLDERS, NETWORK, deleting, looking
from kube.people.uses import Used
from kube.people.work import READ, Record, Seen, Work, people_work
from tests.parts.people_samples import (
    SAMPLES,
    cluster_queue,
    held_config_map,
    job,
    pod,
    ray_cluster,
    ray_cluster_on_redis,
    resource_flavor,
    service_with_groups,
    volume,
)

KINDS = {(it.api_version, it.name): it for it in READ}
Manifest = dict[str, Any]
TEAM = "serving"


def stored(obj: Manifest, **metadata: Any) -> Manifest:
    """As an API server has it."""
    own = obj["metadata"]
    uid = "/".join([obj["kind"], own.get("namespace", ""), own["name"]])
    times = {"uid": uid, "creationTimestamp": "2026-11-01T00:00:00Z"}
    return {**obj, "metadata": {**own, **times, **metadata}}


def owned_by(obj: Manifest) -> list[Manifest]:
    names = {key: obj[key] for key in ("apiVersion", "kind")}
    own = {key: obj["metadata"][key] for key in ("name", "uid")}
    return [{**names, **own, "controller": True}]


def seen(*objects: Manifest, pools: Mapping[str, str] | None = None) -> Seen:
    """With the namespace of a team, and a LocalQueue to a ClusterQueue of the name `shared`."""
    labels = {"labels": {TEAM_LABEL: TEAM}}
    beside = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TEAM, **labels}},
        {
            "apiVersion": LOCAL_QUEUE.api_version,
            "kind": "LocalQueue",
            "metadata": {"name": "door", "namespace": TEAM},
            "spec": {"clusterQueue": "shared"},
        },
    ]
    found: dict[Any, list[Manifest]] = {kind: [] for kind in READ}
    for it in (*objects, *map(stored, beside)):
        if kind := KINDS.get((it["apiVersion"], it["kind"])):
            found[kind].append(it)
    held = [it for it in objects if it["metadata"].get("finalizers")]
    return Seen(found, pools or {}, [it for it in held if it["metadata"].get("namespace")])


def works(*objects: Manifest, record: Record | None = None) -> list[Work]:
    return people_work(seen(*objects), record or Record())


def one(*objects: Manifest, pools: Mapping[str, str] | None = None) -> Work:
    (found,) = people_work(seen(*objects, pools=pools), Record())
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_of_work_is_named_with_its_team(name: str) -> None:
    obj = SAMPLES[name](TEAM, "")
    work = one(stored(obj))
    assert str(work).startswith(f"{obj['kind']} {TEAM}/{name}, of the team {TEAM}")
    assert work.command("kubectl").endswith(f"/{name} --namespace {TEAM}")


def test_work_says_who_submitted_it_its_queue_and_how_many_accelerators() -> None:
    obj = job(TEAM, "door")
    obj["metadata"]["labels"][SUBMITTED_BY] = "ada"
    obj["spec"]["parallelism"] = obj["spec"]["completions"] = 3
    work = one(stored(obj))
    assert (work.submitter, work.queue, work.cluster_queue) == ("ada", "door", "shared")
    assert str(work) == (
        "Job serving/job, of the team serving, submitted by ada, with 3 accelerators"
    )


def test_owners_that_go_round_in_a_circle_hide_no_work_and_hold_nobody_up() -> None:
    itself, first, second = (stored(it) for it in (job("red"), job("a"), job("b")))
    for obj, owner in ((itself, itself), (first, second), (second, first)):
        obj["metadata"]["ownerReferences"] = owned_by(owner)
    assert {it.namespace for it in works(itself, first, second)} == {"red", "a", "b"}


def test_work_whose_queue_is_gone_still_has_its_quota() -> None:
    obj = stored(job("own", "gone"))
    workload = {
        "apiVersion": WORKLOAD.api_version,
        "kind": "Workload",
        "metadata": {"name": "of-job", "namespace": "own", "ownerReferences": owned_by(obj)},
        "status": {"admission": {"clusterQueue": "shared"}},
    }
    assert one(obj).cluster_queue == ""
    assert one(obj, stored(workload)).cluster_queue == "shared"


def test_a_name_becomes_the_nearest_label_that_kubernetes_takes() -> None:
    assert name_as_label("Ada.Lovelace@Example.com") == "ada-lovelace-example-com"
    assert name_as_label("---") is None


def test_what_a_stack_or_its_charts_have_is_nobodys_work() -> None:
    mine, charts = stored(job(TEAM)), stored(SAMPLES["deployment"]("operator", ""))
    charts["metadata"]["labels"] = {
        "app.kubernetes.io/managed-by": "Helm",
        "app.kubernetes.io/instance": "own",
    }
    release = {"namespace": "operator", "name": "own"}
    resources = [
        {"type": "kubernetes:batch/v1:Job", "inputs": {"metadata": mine["metadata"]}},
        {"type": "kubernetes:helm.sh/v3:Release", "inputs": release},
    ]
    assert len(works(mine, charts)) == 2
    assert works(mine, charts, record=Record.of(resources)) == []


def test_the_record_of_a_core_kind_is_known_by_the_engines_own_name_for_it() -> None:
    obj = stored(SAMPLES["claim"]("default", ""))
    said = {"metadata": {"name": "claim"}}
    resource = {"type": "kubernetes:core/v1:PersistentVolumeClaim", "inputs": said}
    assert works(obj, record=Record.of([resource])) == []


def test_a_stack_that_is_not_on_record_is_named() -> None:
    obj = job("theirs")
    obj["metadata"]["labels"] = {MANAGED_BY: "pulumi", STACK: "other"}
    assert str(one(stored(obj))).startswith("Job theirs/job, of the stack other")


def test_what_another_stack_has_on_record_is_named_with_that_stack() -> None:
    theirs, charts = stored(job(TEAM)), stored(SAMPLES["deployment"]("operator", ""))
    charts["metadata"]["labels"] = {
        "app.kubernetes.io/managed-by": "Helm",
        "app.kubernetes.io/instance": "own",
    }
    on_nodes = stored({**SAMPLES["deployment"]("default", ""), "kind": "DaemonSet"})
    release = {"namespace": "operator", "name": "own"}
    record = Record.of(
        [
            {"type": "kubernetes:batch/v1:Job", "inputs": {"metadata": theirs["metadata"]}},
            {"type": "kubernetes:apps/v1:DaemonSet", "inputs": {"metadata": on_nodes["metadata"]}},
            {"type": "kubernetes:helm.sh/v3:Release", "inputs": release},
        ]
    )
    everything = seen(theirs, charts, on_nodes)
    (work,) = people_work(everything, Record(), {"other": record})
    assert str(work) == (
        f"Job {TEAM}/job, of the team {TEAM}, of the stack other, with 1 accelerator"
    )
    assert work.on_record
    assert people_work(everything, record, {"other": record}) == []


@pytest.mark.parametrize("namespace", ["kube-system", "gke-managed-system", "gmp-system"])
def test_what_is_in_gkes_own_namespaces_is_nobodys_work(namespace: str) -> None:
    assert works(stored(job(namespace))) == []


@pytest.mark.parametrize("namespace", ["kube-experiments", "gke-training", "gmp-x"])
def test_a_namespace_that_begins_like_gkes_own_is_somebodys(namespace: str) -> None:
    assert len(works(stored(job(namespace)))) == 1


def test_a_label_like_an_operators_makes_nothing_an_operator() -> None:
    obj = job("default")
    obj["metadata"]["labels"] = {"app.kubernetes.io/name": "kueue"}
    assert len(works(stored(obj))) == 1


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (JOB, {"conditions": [{"type": "Complete", "status": "True"}]}),
        (JOB, {"conditions": [{"type": "Failed", "status": "True"}]}),
        (JOB_SET, {"conditions": [{"type": "Completed", "status": "True"}]}),
        (RAY_JOB, {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"}),
        (POD, {"phase": "Succeeded"}),
        (POD, {"phase": "Failed"}),
    ],
    ids=lambda it: getattr(it, "name", ""),
)
def test_what_has_ended_is_no_work_any_more(kind: Any, status: Manifest) -> None:
    names = {JOB: "job", JOB_SET: "job-set", RAY_JOB: "ray-job", POD: "pod"}
    obj = stored(SAMPLES[names[kind]](TEAM, ""))
    assert len(works(obj)) == 1
    assert works({**obj, "status": status}) == []


def test_what_is_on_its_way_out_is_work_only_where_nobody_lets_it_go() -> None:
    going = {"deletionTimestamp": "2026-11-02T00:00:00Z"}
    assert works(stored(job(TEAM), finalizers=["kueue.x-k8s.io/managed"], **going)) == []
    assert len(works(stored(job(TEAM), finalizers=["example.com/own"], **going))) == 1


def test_pods_are_part_of_what_controls_them_and_say_where_it_is() -> None:
    above = stored(ray_cluster(TEAM))
    below = stored(pod(TEAM), ownerReferences=owned_by(above))
    below["spec"]["nodeName"] = "node-1"
    work = one(above, below, pools={"node-1": "cpu-pool"})
    assert (work.kind, work.pools) == ("RayCluster", {"cpu-pool"})


def test_a_kind_that_is_not_known_is_named_by_what_it_controls() -> None:
    above = {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob"}
    owner = stored({**above, "metadata": {"name": "train", "namespace": TEAM}})
    below = stored(pod(TEAM), ownerReferences=owned_by(owner))
    below["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"] = "4"
    work = one(below)
    assert str(work) == "MPIJob serving/train, of the team serving, with 4 accelerators"
    assert (
        work.command("kubectl --context x")
        == "kubectl --context x delete mpijob.kubeflow.org/train --namespace serving"
    )


def test_a_service_without_a_load_balancer_holds_nothing() -> None:
    obj = SAMPLES["service"](TEAM, "")
    obj["spec"]["type"] = "ClusterIP"
    assert works(stored(obj)) == []


def resource(token: str, **said: Any) -> Manifest:
    return {"type": token, "inputs": {}, "outputs": said}


def named(kind: str, name: str, namespace: str = "") -> Manifest:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return resource(f"kubernetes:x/v1:{kind}", metadata=metadata)


PLAIN = Work(api_version="batch/v1", kind="Job", namespace="own", name="train")
QUEUED = replace(PLAIN, queue="door", cluster_queue="shared")
CLUSTER = resource("gcp:container/cluster:Cluster", name="lab")
ALONE = Work(api_version="kueue.x-k8s.io/v1beta2", kind="ClusterQueue", namespace="", name="own")
FLAVOR = named("ResourceFlavor", "l4")
CASES: dict[str, tuple[Work, Sequence[Manifest], str, bool]] = {
    "in a namespace that goes": (
        PLAIN,
        [CLUSTER, named("Namespace", "own")],
        "goes with the namespace own",
        False,
    ),
    "queued, in a namespace that goes": (
        QUEUED,
        [CLUSTER, named("Namespace", "own"), named("ClusterQueue", "shared")],
        "goes with the namespace own",
        False,
    ),
    "data, in a namespace that goes": (
        replace(PLAIN, disk=True),
        [named("Namespace", "own")],
        "goes with the namespace own and the data on its disk",
        False,
    ),
    "held, in a namespace that goes": (
        replace(PLAIN, finalizers=("example.com/own",)),
        [named("Namespace", "own")],
        "nobody takes its finalizer example.com/own off while the namespace own goes",
        True,
    ),
    "in a namespace that stays until the cluster goes": (
        PLAIN,
        [CLUSTER],
        "would be lost with the cluster: the namespace own is none of the stack's own",
        True,
    ),
    "in a queue that goes": (
        QUEUED,
        [CLUSTER, named("ClusterQueue", "shared")],
        "is in the ClusterQueue shared, which cannot go while it is in use",
        True,
    ),
    "of an operator that goes": (
        replace(PLAIN, api_version="ray.io/v1", kind="RayCluster"),
        [resource("kubernetes:helm.sh/v3:Release", chart="oci://x/kuberay-operator")],
        "needs the operator kuberay-operator, which goes",
        True,
    ),
    "queued by an operator that goes": (
        QUEUED,
        [resource("kubernetes:helm.sh/v3:Release", chart="kueue")],
        "needs the operator kueue, which goes",
        True,
    ),
    "in a LocalQueue that goes": (
        QUEUED,
        [named("LocalQueue", "door", "own")],
        "loses its queue door",
        False,
    ),
    "on a RayCluster that goes": (
        replace(PLAIN, runs_on="lab"),
        [named("RayCluster", "lab", "own")],
        "loses the RayCluster lab that it runs on",
        False,
    ),
    "on a flavor that goes": (
        replace(ALONE, idle=True, uses=frozenset({Used("ResourceFlavor", "l4")})),
        [CLUSTER, FLAVOR],
        "uses the ResourceFlavor l4, which cannot go while it is in use",
        True,
    ),
    "in a cohort that goes": (
        replace(ALONE, idle=True, uses=frozenset({Used("Cohort", "all", held=False)})),
        [named("Cohort", "all")],
        "loses the Cohort all that it names",
        False,
    ),
    "with a claim that goes": (
        replace(PLAIN, uses=frozenset({Used("PersistentVolumeClaim", "data", "own")})),
        [named("PersistentVolumeClaim", "data", "own")],
        "uses the PersistentVolumeClaim own/data, which cannot go while it is in use",
        True,
    ),
    "a queue of its own, in Kueue that goes": (
        replace(ALONE, idle=True),
        [CLUSTER, resource("kubernetes:helm.sh/v3:Release", chart="kueue")],
        "needs the operator kueue, which goes",
        True,
    ),
    "a class of priority, in Kueue that goes with its cluster": (
        replace(ALONE, kind="WorkloadPriorityClass", idle=True),
        [CLUSTER, resource("kubernetes:helm.sh/v3:Release", chart="kueue")],
        "goes with the cluster",
        False,
    ),
    "a load balancer, in a namespace that stays until the cluster goes": (
        replace(PLAIN, leftover=Leftover("load balancer")),
        [CLUSTER],
        "would be lost with the cluster: the namespace own is none of the stack's own; "
        "its load balancer may stay in Google Cloud",
        True,
    ),
    "a disk that is kept, in a namespace that goes": (
        replace(PLAIN, leftover=Leftover("disk d1", retained=True)),
        [CLUSTER, named("Namespace", "own")],
        "goes with the namespace own; its disk d1 stays in Google Cloud",
        False,
    ),
    "a disk of no claim": (
        replace(ALONE, idle=True, leftover=Leftover("disk d1", retained=True)),
        [CLUSTER],
        "goes with the cluster; its disk d1 stays in Google Cloud",
        False,
    ),
    "a load balancer that is not gone yet": (
        replace(PLAIN, leftover=Leftover("load balancer"), ending=True),
        [CLUSTER],
        "is being deleted, and GKE has not ended that; its load balancer may stay in Google Cloud",
        True,
    ),
    "an API that does not answer": (
        replace(ALONE, kind="APIService", idle=True),
        [CLUSTER, named("Namespace", "other")],
        "does not answer, and no namespace goes before every API does",
        True,
    ),
    "on nodes that go": (
        replace(PLAIN, pools=frozenset({"l4-pool", "cpu-pool"})),
        [resource("gcp:container/nodePool:NodePool", name="l4-pool")],
        "loses the nodes of l4-pool",
        False,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_becomes_of_work_is_said_by_what_goes(case: str) -> None:
    work, resources, what, holds = CASES[case]
    assert effects([work], Going.of(resources)) == [Effect(work, what, holds)]


def test_work_that_nothing_of_a_run_reaches_is_not_spoken_of() -> None:
    going = Going.of(
        [
            named("Namespace", "other"),
            named("ClusterQueue", "other"),
            named("LocalQueue", "door", "other"),
            named("RayCluster", "lab", "other"),
            resource("gcp:container/nodePool:NodePool", name="other"),
        ]
    )
    works = [PLAIN, QUEUED, replace(PLAIN, runs_on="lab", pools=frozenset({"l4-pool"}))]
    assert effects(works, going) == []


@pytest.mark.parametrize(
    ("work", "what"),
    [
        (QUEUED, "is looked after by kueue, which changes in place"),
        (
            replace(QUEUED, api_version="ray.io/v1", kind="RayJob"),
            "is looked after by kuberay-operator and kueue, which change in place",
        ),
    ],
)
def test_work_whose_operators_change_in_place_is_named_and_not_refused(
    work: Work, what: str
) -> None:
    charts = ("kueue", "oci://x/kuberay-operator")
    changed = [resource("kubernetes:helm.sh/v3:Release", chart=it) for it in charts]
    going = Going.of([], changed=changed)
    assert effects([work, PLAIN, replace(ALONE, idle=True)], going) == [Effect(work, what)]


def test_work_in_a_queue_that_changes_in_place_is_named_and_not_refused() -> None:
    going = Going.of([], changed=[named("ClusterQueue", "shared")])
    what = "is in the ClusterQueue shared, which changes in place"
    assert effects([QUEUED, PLAIN], going) == [Effect(QUEUED, what)]


@pytest.mark.parametrize(
    ("going", "what"),
    [
        (
            Going(renewed=frozenset({"l4-pool"})),
            "is interrupted: the nodes of l4-pool are made anew, one after the other",
        ),
        (
            Going(shrunk=frozenset({"l4-pool", "other-pool"})),
            "may lose nodes of l4-pool, which get fewer",
        ),
        (
            Going(upgrade=True),
            "is interrupted when GKE upgrades the nodes of cpu-pool, l4-pool, one after the other",
        ),
    ],
    ids=["a pool in place", "a smaller pool", "an upgrade"],
)
def test_work_on_nodes_that_are_made_anew_or_fewer_is_named_and_not_refused(
    going: Going, what: str
) -> None:
    work = replace(PLAIN, pools=frozenset({"l4-pool", "cpu-pool"}))
    assert effects([work, PLAIN], going) == [Effect(work, what)]


def test_what_an_object_holds_is_told_from_what_it_names() -> None:
    (queue,) = works(stored(cluster_queue("l4")))
    assert str(queue) == "ClusterQueue theirs"
    assert queue.command("kubectl") == "kubectl delete clusterqueue.kueue.x-k8s.io/theirs"
    assert queue.uses == {Used("ResourceFlavor", "l4")}
    (flavor,) = works(stored(resource_flavor("racks")))
    assert flavor.uses == {Used("Topology", "racks")}


def test_a_pod_holds_the_claims_that_it_mounts_and_the_networks_that_it_is_in() -> None:
    obj = pod("own")
    obj["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    interfaces = '[{"interfaceName": "eth1", "network": "rdma-0"}]'
    obj["metadata"]["annotations"] = {"networking.gke.io/interfaces": interfaces}
    above = stored(job("own"))
    work = one(above, stored(obj, ownerReferences=owned_by(above)))
    assert work.kind == "Job"
    assert work.uses == {Used("PersistentVolumeClaim", "data", "own"), Used("Network", "rdma-0")}


def test_an_object_of_any_kind_that_its_namespace_would_wait_for_is_named() -> None:
    (held,) = works(stored(held_config_map(TEAM)))
    assert str(held) == "ConfigMap serving/held, of the team serving"
    assert held.finalizers == ("example.com/own",)
    assert held.command("kubectl") == "kubectl delete configmap/held --namespace serving"
    assert works(stored(held_config_map(TEAM, "kubernetes.io/own"))) == []


def test_a_name_is_one_word_of_the_command_that_takes_it_away() -> None:
    found = replace(works(stored(held_config_map(TEAM)))[0], name="a; rm b", namespace="$(id)")
    for work in (found, replace(found, stuck=True)):
        words = shlex.split(work.command("kubectl"))
        assert words[2:5] == ["configmap/a; rm b", "--namespace", "$(id)"]


def test_an_object_that_was_deleted_and_is_still_held_is_let_go_by_another_command() -> None:
    (held,) = works(stored(held_config_map(TEAM), deletionTimestamp="2026-11-02T00:00:00Z"))
    patch = """kubectl patch configmap/held --namespace serving --type merge --patch """
    assert held.command("kubectl") == patch + """'{"metadata": {"finalizers": null}}'"""


def test_a_held_object_of_nobody_is_not_in_the_way_where_its_namespace_stays() -> None:
    (held,) = works(stored(held_config_map("own")))
    (effect,) = effects([held], Going.of([CLUSTER]))
    assert (effect.what, effect.holds) == ("goes with the cluster", False)


def test_a_resource_of_config_connector_is_work_for_it_outlives_its_cluster() -> None:
    obj = held_config_map("own", "cnrm.cloud.google.com/finalizer")
    obj |= {"apiVersion": "storage.cnrm.cloud.google.com/v1beta1", "kind": "StorageBucket"}
    (work,) = works(stored(obj))
    (effect,) = effects([work], Going.of([CLUSTER]))
    assert effect.holds
    assert effect.what.endswith("its resource may stay in Google Cloud")


LEFT = {
    "service": "its load balancer may stay in Google Cloud",
    "service-with-groups": "its network endpoint groups may stay in Google Cloud",
    "ingress": "its load balancer may stay in Google Cloud",
    "gateway": "its load balancer may stay in Google Cloud",
    "snapshot": "its snapshot may stay in Google Cloud",
    "deployment": None,
    "claim": None,
}


@pytest.mark.parametrize("name", LEFT)
def test_what_has_something_in_google_cloud_says_what(name: str) -> None:
    left = one(stored(SAMPLES[name](TEAM, ""))).leftover
    assert (None if left is None else left.sentence) == LEFT[name]


@pytest.mark.parametrize("wanted", ['{"ingress": true}', "no JSON", "{}"])
def test_network_endpoint_groups_of_an_ingress_go_with_the_ingress(wanted: str) -> None:
    obj = service_with_groups(TEAM)
    obj["metadata"]["annotations"] = {"cloud.google.com/neg": wanted}
    assert works(stored(obj)) == []


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ("Delete", "its disk pvc-of-claim may stay in Google Cloud"),
        ("Retain", "its disk pvc-of-claim stays in Google Cloud"),
    ],
)
def test_a_claim_says_which_disk_it_has_and_whether_it_stays(policy: str, sentence: str) -> None:
    (work,) = works(stored(SAMPLES["claim"](TEAM, "")), stored(volume(TEAM, "claim", policy)))
    assert work.leftover is not None
    assert work.leftover.sentence == sentence
    assert work.disk is (policy == "Delete")


def test_a_disk_whose_claim_is_gone_is_named_by_itself() -> None:
    (work,) = works(stored(volume(TEAM, "claim")))
    assert str(work) == "PersistentVolume pvc-of-claim"
    (effect,) = effects([work], Going.of([CLUSTER]))
    assert effect.what == "goes with the cluster; its disk pvc-of-claim stays in Google Cloud"


def test_a_volume_in_a_bucket_has_no_disk() -> None:
    obj = stored(volume(TEAM, "claim"))
    obj["spec"]["csi"] = {"driver": "gcsfuse.csi.storage.gke.io", "volumeHandle": "bucket"}
    assert works(obj) == []


def test_a_load_balancer_on_its_way_out_is_still_somebodys() -> None:
    going = {"deletionTimestamp": "2026-11-02T00:00:00Z"}
    finalizer = "service.kubernetes.io/load-balancer-cleanup"
    obj = SAMPLES["service"](TEAM, "")
    assert one(stored(obj, finalizers=[finalizer], **going)).ending
    assert works(stored(obj, **going)) == []


@pytest.mark.parametrize(("status", "count"), [("False", 1), ("True", 0)])
def test_an_api_of_somebodys_is_in_the_way_while_it_does_not_answer(
    status: str, count: int
) -> None:
    obj = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1.example.com"},
        "spec": {"service": {"namespace": "own", "name": "api"}},
        "status": {"conditions": [{"type": "Available", "status": status}]},
    }
    assert len(works(stored(obj))) == count
    obj["spec"]["service"]["namespace"] = "kube-system"
    assert works(stored(obj)) == []


def test_gkes_own_networks_are_nobodys() -> None:
    def network(name: str) -> Manifest:
        reference = {"kind": "GKENetworkParamSet", "name": name}
        metadata = {"name": name}
        spec = {"parametersRef": reference}
        kind = {"apiVersion": "networking.gke.io/v1", "kind": "Network"}
        return stored({**kind, "metadata": metadata, "spec": spec})

    assert works(network("default")) == []
    assert one(network("own")).uses == {Used("GKENetworkParamSet", "own")}


def test_only_a_ray_cluster_on_redis_has_a_finalizer_that_a_namespace_cannot_end() -> None:
    finalizers = {
        "on-redis": "ray.io/gcs-ft-redis-cleanup-finalizer",
        "ray-job": "ray.io/rayjob-finalizer",
        "claim": "kubernetes.io/pvc-protection",
        "service": "service.kubernetes.io/load-balancer-cleanup",
        "gateway": "gateway.finalizer.networking.gke.io",
        "pod": "kueue.x-k8s.io/managed",
    }
    samples = {**SAMPLES, "on-redis": ray_cluster_on_redis}
    objects = [stored(samples[name](TEAM, ""), finalizers=[it]) for name, it in finalizers.items()]
    assert [it.name for it in works(*objects) if it.finalizers] == ["on-redis"]


@pytest.mark.parametrize(("policy", "goes"), [("Delete", True), ("Retain", False)])
def test_a_claim_whose_volume_is_deleted_with_it_says_so(policy: str, goes: bool) -> None:
    volume = {
        "apiVersion": PERSISTENT_VOLUME.api_version,
        "kind": "PersistentVolume",
        "metadata": {"name": "disk"},
        "spec": {
            "claimRef": {"namespace": TEAM, "name": "claim"},
            "persistentVolumeReclaimPolicy": policy,
        },
    }
    claim = stored(SAMPLES["claim"](TEAM, ""))
    assert one(claim, stored(volume)).disk is goes


def test_what_is_read_has_every_kind_that_the_samples_have() -> None:
    for name, sample in SAMPLES.items():
        obj = sample(TEAM, "")
        assert (obj["apiVersion"], obj["kind"]) in KINDS, name
    assert {NAMESPACE, RAY_CLUSTER} <= set(READ)


TAINT = Taint(key="team", value="x", effect="NoExecute")


@pytest.mark.parametrize(
    ("tolerations", "evicted"),
    [
        ([], True),
        ([{"key": "team", "operator": "Exists"}], False),
        ([{"key": "team", "value": "x", "effect": "NoExecute"}], False),
        ([{"key": "team", "value": "y"}], True),
        ([{"key": "team", "value": "x", "effect": "NoSchedule"}], True),
        ([{"key": "team", "operator": "Exists", "tolerationSeconds": 300}], True),
    ],
)
def test_work_on_nodes_that_get_a_taint_is_named_where_its_pods_do_not_tolerate_it(
    tolerations: list[dict[str, Any]], evicted: bool
) -> None:
    pools = frozenset({"l4-pool"})
    work = replace(PLAIN, pools=pools, tolerations={"l4-pool": [tolerations]})
    elsewhere = replace(work, tolerations={"cpu-pool": [tolerations]})
    what = "is evicted from the nodes of l4-pool: it does not tolerate team=x:NoExecute"
    going = Going(taints={"l4-pool": [TAINT]})
    assert effects([work, elsewhere], going) == ([Effect(work, what)] if evicted else [])


def test_a_taint_that_evicts_nobody_is_not_spoken_of() -> None:
    work = replace(PLAIN, pools=frozenset({"l4-pool"}), tolerations={"l4-pool": [[]]})
    kept = Taint(key="team", value="x", effect="NoSchedule")
    assert effects([work], Going(taints={"l4-pool": [kept]})) == []


def test_what_others_made_in_the_networks_of_a_stack_is_listed_with_gcloud() -> None:
    """decisionbox-io/decisionbox-platform issue 87 of 2026-03-19."""
    records = [
        {"type": NETWORK, "outputs": {"name": name, "project": "my-project"}}
        for name in ("lab-rdma", "lab-net")
    ]
    others = [{"type": "gcp:compute/router:Router", "outputs": {"name": "r"}}]
    assert list(looking([*records, *others])) == [
        f"gcloud compute {it} list --project=my-project '--filter=network:(lab-net OR lab-rdma)'"
        for it in ("firewall-rules", "forwarding-rules", "network-endpoint-groups")
    ]
    assert list(looking(others)) == []


def test_each_holder_of_a_network_has_its_command() -> None:
    place = {"region": "us-east1", "location": "us-east1-b", "project": "p", "name": "it"}
    commands = [deleting(it, place) for it in HOLDERS]
    assert "gcloud compute firewall-rules delete it --project=p" in commands
    assert "gcloud compute addresses delete it --project=p --global" in commands
    assert len(set(commands)) == len(HOLDERS)
