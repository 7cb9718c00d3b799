"""What a member of a team cannot do to start work past the team's queue, with the real Kueue."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest

from components.base.admission_binding import binding_spec
from components.base.members import EDIT
from components.queues.guard_manifest import GRACE_S, guard_spec
from components.teams.team import role_rules
from kube.jobs import condition
from kube.objects import JsonObject, Ref, dig, labels_of, maps, name_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api import Api, ApiError
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.charts import Charts
from tests.kube.conftest import eventually, refused
from tests.kube.person import kubeconfig_of, token_of
from tests.unit.kueue_samples import KUEUE, QUEUE, cluster_queue, flavor, namespace, quota, release
from tests.unit.memory_kube_samples import asking, container, make

TEAM = "vision"
# CPUs that the team's queue gives.
QUOTA = 8
RBAC = "rbac.authorization.k8s.io"
ADMISSION = "admissionregistration.k8s.io/v1"


def node() -> JsonObject:
    room = {"cpu": "80", "memory": "640Gi", "pods": "110"}
    found = make("Node", "machine")
    found["metadata"]["annotations"] = {"kwok.x-k8s.io/node": "fake"}
    return {**found, "status": {"capacity": room, "allocatable": room}}


def in_team(manifest: JsonObject) -> JsonObject:
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": TEAM}}


def ground() -> list[JsonObject]:
    """A team with a queue as the program makes it, and a member who may change what is in it."""
    role = in_team({**make("Role", "team-edit", f"{RBAC}/v1"), "rules": role_rules(EDIT)})
    subject = {"kind": "ServiceAccount", "name": "ada", "namespace": "default"}
    reference = {"apiGroup": RBAC, "kind": "Role", "name": "team-edit"}
    binding = {**make("RoleBinding", "team-edit", f"{RBAC}/v1"), "roleRef": reference}
    queues = [
        in_team(make("LocalQueue", name, KUEUE, spec={"clusterQueue": "cluster-queue"}))
        for name in (TEAM, "default")
    ]
    guard = make("ValidatingAdmissionPolicy", "guard", ADMISSION, spec=guard_spec())
    bound = binding_spec("guard", [TEAM])
    quotas = [quota("cpu", str(QUOTA)), quota("memory", "8Gi")]
    return [
        node(),
        role,
        in_team({**binding, "subjects": [subject]}),
        flavor(),
        cluster_queue(quotas=quotas),
        *queues,
        guard,
        make("ValidatingAdmissionPolicyBinding", "guard", ADMISSION, spec=bound),
    ]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    plane = ControlPlane(tmp_path_factory.mktemp("guard") / "plane")
    try:
        plane.start()
        server = ApiServer(plane.kubeconfig)
        for each in map(namespace, (TEAM, "kueue-system")):
            server.apply(each)
        Charts(server, plane).install(release())
        for each in ground():
            server.apply(each)
        # Kueue gives work to a queue that it knows.
        eventually(
            lambda: [condition(it, "Active") for it in server.list(KUEUE, "LocalQueue")],
            lambda active: len(active) == 2 and all(active),
        )
        yield plane
    finally:
        plane.remove()


@pytest.fixture(scope="module")
def server(plane: ControlPlane) -> ApiServer:
    return ApiServer(plane.kubeconfig)


@pytest.fixture(scope="module")
def ada(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Api:
    folder = tmp_path_factory.mktemp("ada")
    user = {"token": token_of(plane, "ada")}
    return Api(kubeconfig_of(plane, folder, "ada", user))


def pod_spec(cpu: str) -> JsonObject:
    return {"containers": [container(resources=asking(cpu=cpu))]}


def pod(name: str, cpu: str = "1", **metadata: Any) -> JsonObject:
    made = in_team(make("Pod", name, spec=pod_spec(cpu)))
    made["metadata"] |= metadata
    return made


def job(name: str, cpu: str = "1") -> JsonObject:
    template = {"spec": {**pod_spec(cpu), "restartPolicy": "Never"}}
    return in_team(make("Job", name, "batch/v1", spec={"template": template}))


def deployment(name: str, **metadata: Any) -> JsonObject:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec("1")}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    made = in_team(make("Deployment", name, "apps/v1", spec=spec))
    made["metadata"] |= metadata
    return made


def live(server: ApiServer, manifest: JsonObject) -> JsonObject:
    found = server.get(Ref.of(manifest))
    assert found is not None
    return found


def owner(obj: JsonObject) -> list[JsonObject]:
    one = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "controller": True}
    return [{**one, "name": name_of(obj), "uid": obj["metadata"]["uid"]}]


def pods_of(server: ApiServer, name: str) -> list[JsonObject]:
    return [it for it in server.list("v1", "Pod") if name_of(it).startswith(f"{name}-")]


@pytest.mark.parametrize("make_one", [pod, deployment], ids=["pod", "deployment"])
def test_a_member_gives_nothing_an_owner_past_which_kueue_would_not_look(
    server: ApiServer, ada: Api, make_one: Callable[..., JsonObject]
) -> None:
    ada.apply(job("owner"))
    owned = make_one("owned", ownerReferences=owner(live(server, job("owner"))))
    refused(lambda: ada.apply(owned, dry_run=True), "would have this run past the team's queue")


def test_a_member_takes_no_gate_off_a_pod_that_waits(server: ApiServer, ada: Api) -> None:
    waits = pod("waits", cpu="40")
    ada.apply(waits)
    gates = maps(dig(live(server, waits), "spec", "schedulingGates"))
    assert "kueue.x-k8s.io/admission" in [it["name"] for it in gates]
    open_ = copy.deepcopy(live(server, waits))
    del open_["metadata"]["managedFields"]
    open_["spec"]["schedulingGates"] = []
    change = {"spec": {"schedulingGates": None}}
    refused(lambda: ada.patch(open_, change), "the team's queue takes this gate off")


def test_work_that_names_no_queue_runs_by_the_teams_and_may_be_labelled(
    server: ApiServer, ada: Api
) -> None:
    """Controllers make the pods, which they own."""
    for each in (job("of-job"), deployment("of-deployment")):
        ada.apply(each)
        (made,) = eventually(
            lambda each=each: pods_of(server, name_of(each)),
            lambda found: [dig(it, "status", "phase") for it in found] == ["Running"],
        )
        ada.patch(made, {"metadata": {"labels": {"seen": "yes"}}})
    assert labels_of(live(server, job("of-job")))[QUEUE] == "default"


UID_LABEL = "batch.kubernetes.io/controller-uid"


class Charged:
    """A Job of two CPUs that runs, for which the queue is charged, as the member who made it sees
    it, and a Deployment beside it."""

    def __init__(self, server: ApiServer, ada: Api) -> None:
        self.ada, self._server = ada, server
        self.job, self._deployment = job("charged", "2"), deployment("beside")
        for each in (self.job, self._deployment):
            ada.apply(each)
            eventually(
                lambda each=each: [
                    dig(it, "status", "phase") for it in pods_of(server, name_of(each))
                ],
                lambda phases: phases == ["Running"],
            )

    @property
    def pod(self) -> JsonObject:
        return pods_of(self._server, "charged")[0]

    @property
    def replica_set(self) -> JsonObject:
        sets = self._server.list("apps/v1", "ReplicaSet")
        return next(it for it in sets if name_of(it).startswith("beside-"))

    def delete(self, obj: JsonObject, **options: Any) -> None:
        places = {"Job": "/apis/batch/v1", "Pod": "/api/v1"}
        kind = obj["kind"].lower() + "s"
        path = f"{places[obj['kind']]}/namespaces/{TEAM}/{kind}/{name_of(obj)}"
        self.ada.call("DELETE", path, options)

    def delete_jobs(self) -> None:
        options = {"propagationPolicy": "Orphan"}
        self.ada.call("DELETE", f"/apis/batch/v1/namespaces/{TEAM}/jobs", options)

    def evict(self, **options: Any) -> None:
        name = name_of(self.pod)
        eviction = in_team(make("Eviction", name, "policy/v1", deleteOptions=options))
        self.ada.call("POST", f"/api/v1/namespaces/{TEAM}/pods/{name}/eviction", eviction)

    def change(self, obj: JsonObject, **metadata: Any) -> None:
        self.ada.patch(obj, {"metadata": metadata})

    def group(self, name: str, cpu: str) -> None:
        """Pods of one group that say of themselves that they are alike."""
        labels = {"kueue.x-k8s.io/pod-group-name": "group"}
        notes = {
            "kueue.x-k8s.io/pod-group-total-count": "2",
            "kueue.x-k8s.io/role-hash": "same",
        }
        self.ada.apply(pod(name, cpu, labels=labels, annotations=notes))

    def without_labels(self) -> JsonObject:
        return dict.fromkeys(labels_of(self.pod))


@pytest.fixture(scope="module")
def charged(server: ApiServer, ada: Api) -> Charged:
    return Charged(server, ada)


def with_spec(manifest: JsonObject, **fields: Any) -> JsonObject:
    return {**manifest, "spec": {**manifest["spec"], **fields}}


def by_hand() -> JsonObject:
    """A Job whose pods have labels of its maker's choice."""
    made = job("by-hand")
    made["spec"]["template"]["metadata"] = {"labels": {"app": "a"}}
    return with_spec(made, manualSelector=True, selector={"matchLabels": {"app": "a"}})


_FOUND_BY = "by these labels controllers find their pods"
_RUN_ON = "propagationPolicy: pods would run on past the team's queue"
_OWNED = "metadata.ownerReferences: "
_LONG = f"more than {GRACE_S} seconds hold machines that the team's queue counts as free"
WAYS: Mapping[str, tuple[Callable[[Charged], object], str]] = {
    "delete a job and leave its pods": (
        lambda it: it.delete(it.job, propagationPolicy="Orphan"),
        _RUN_ON,
    ),
    "delete a job and leave its pods, in old words": (
        lambda it: it.delete(it.job, orphanDependents=True),
        _RUN_ON,
    ),
    "delete a job without a word of its pods": (lambda it: it.delete(it.job), _RUN_ON),
    "delete all jobs and leave their pods": (lambda it: it.delete_jobs(), _RUN_ON),
    "have a later deletion leave the pods": (
        lambda it: it.change(it.job, finalizers=["orphan"]),
        "metadata.finalizers: with orphan, pods would run on",
    ),
    "part a pod from its job": (lambda it: it.change(it.pod, ownerReferences=None), _OWNED),
    "part a pod from its job, labels and all": (
        lambda it: it.change(it.pod, ownerReferences=None, labels=it.without_labels()),
        _OWNED,
    ),
    "hide a pod from its job": (
        lambda it: it.change(it.pod, labels=it.without_labels()),
        _FOUND_BY,
    ),
    "hide a pod from its deployment": (
        lambda it: it.change(it.replica_set, labels={"app": "other"}),
        _FOUND_BY,
    ),
    "show a pod to another job": (
        lambda it: it.change(it.pod, labels={UID_LABEL: "another"}),
        _FOUND_BY,
    ),
    "make a pod for a job to find": (
        lambda it: it.ada.apply(pod("stray", labels={UID_LABEL: "another"})),
        _FOUND_BY,
    ),
    "have a job find its pods by any label": (
        lambda it: it.ada.apply(by_hand()),
        "spec.manualSelector: labels of any name would part pods from the Job",
    ),
    "take the marks of who counts off a pod": (
        lambda it: it.change(it.pod, finalizers=None),
        "count this pod until they take theirs off",
    ),
    "give a pod another role": (
        lambda it: it.change(it.pod, annotations={"kueue.x-k8s.io/role-hash": "same"}),
        "by those of kueue.x-k8s.io the team's queue counts what runs",
    ),
    "group a small pod": (lambda it: it.group("small", "100m"), "pod-group-name: of a group"),
    "group a large pod": (lambda it: it.group("large", "7"), "pod-group-name: of a group"),
    "have a deployment's set grow": (
        lambda it: it.ada.patch(it.replica_set, {"spec": {"replicas": 5}}),
        "spec: the team's queue is charged for what the owner of this asks",
    ),
    "make a pod that ends in days": (
        lambda it: it.ada.apply(with_spec(pod("slow"), terminationGracePeriodSeconds=GRACE_S + 1)),
        f"spec.terminationGracePeriodSeconds: {_LONG}",
    ),
    "delete a pod within days": (
        lambda it: it.delete(it.pod, gracePeriodSeconds=GRACE_S + 1),
        f"gracePeriodSeconds: {_LONG}",
    ),
    "evict a pod within days": (
        lambda it: it.evict(gracePeriodSeconds=GRACE_S + 1),
        f"gracePeriodSeconds: {_LONG}",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_member_finds_no_way_to_run_more_than_the_queue_is_charged_for(
    charged: Charged, way: str
) -> None:
    act, refusal = WAYS[way]
    refused(lambda: act(charged), refusal)


def test_a_member_deletes_what_the_member_made(server: ApiServer, ada: Api) -> None:
    brief = job("brief", "100m")
    ada.apply(brief)
    eventually(lambda: pods_of(server, "brief"), bool)
    ada.delete(brief, dependents_first=True)
    eventually(
        lambda: (server.get(Ref.of(brief)), pods_of(server, "brief")), lambda it: not any(it)
    )


def milli(quantity: object) -> int:
    text = str(quantity)
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def running(server: ApiServer) -> int:
    """Thousandths of a CPU that containers of the team have."""
    pods = [
        it
        for it in server.list("v1", "Pod")
        if it["metadata"]["namespace"] == TEAM and dig(it, "status", "phase") == "Running"
    ]
    return sum(
        milli(one["resources"]["requests"]["cpu"])
        for it in pods
        for one in it["spec"]["containers"]
    )


def usage(server: ApiServer) -> int:
    """Thousandths of a CPU for which the team's queue is charged."""
    (queue,) = server.list(KUEUE, "ClusterQueue")
    resources = maps(maps(dig(queue, "status", "flavorsUsage"))[0]["resources"])
    return next(milli(it["total"]) for it in resources if it["name"] == "cpu")


def settled(server: ApiServer) -> bool:
    """Whether the queue is full, each Job that it let in runs, and one waits."""
    if usage(server) != QUOTA * 1000:
        return False
    let_in = [
        it
        for it in server.list(KUEUE, "Workload")
        if condition(it, "Admitted") and maps(it["metadata"]["ownerReferences"])[0]["kind"] == "Job"
    ]
    jobs = [it for it in server.list("batch/v1", "Job") if it["metadata"]["namespace"] == TEAM]
    started = [it for it in jobs if dig(it, "status", "ready") == 1]
    return len(let_in) == len(started) < len(jobs)


def test_after_every_way_what_runs_is_what_the_queue_is_charged_for(
    server: ApiServer, ada: Api, charged: Charged
) -> None:
    """More work than the quota has room for comes after it: it would fill what a way had freed."""
    for act, _ in WAYS.values():
        with suppress(ApiError):
            act(charged)
    for number in range(QUOTA):
        ada.apply(job(f"more-{number}"))
    eventually(lambda: settled(server), bool)
    assert running(server) == usage(server) == QUOTA * 1000
