"""Members of teams who reach past the team, on one stack with a real control plane: each attack is
an object that the real API server refuses, with the message that the member reads.

It cannot show that a network policy is enforced, nor what a pod would find on its node.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from components.base.admission_binding import binding_spec
from components.nccl.gib import gib_mounts, gib_volumes
from components.queues.labels import PRIORITY_LABEL
from kube.objects import JsonObject, Ref, dig, maps
from sandbox.gke.agent.load_balancers import FINALIZER
from sandbox.live_kube.api import Api
from tests.kube.conftest import LiveSandbox, eventually, refused
from tests.kube.person import kubeconfig_of, token_with_role_of
from tests.unit.memory_kube_samples import asking, container, make

STACK = "lab"
# Ada's team has the defaults, pods of Eve's mount gIB's folders and may go first, and Bob's
# publishes and stores.
TEAMS = {"ada": "research", "eve": "serving", "bob": "guests"}
SETTINGS = (
    "teams.serving.pod_security=privileged",
    "teams.guests.load_balancers=true",
    "teams.guests.storage_gib=10",
    "queues.priorities=[{name: first, value: 10}, {name: usual, value: 1, default: true}]",
    "queues.workload_priorities=[{name: soon, value: 10}]",
    "teams.serving.priorities=[first, soon]",
)
RAY = "ray.io/v1"
SERVICES, PODS, REACH = "lab-team-services", "lab-team-pods", "lab-team-reach"
TEAM_SERVICE = (
    "spec.type: LoadBalancer and NodePort publish the service outside the cluster; nearest: "
    "ClusterIP, or load_balancers: true for the team in the stack's config"
)
TEAM_RAY = (
    "enableIngress, serviceType, headService: KubeRay would publish Ray outside the cluster; "
    "nearest: leave these fields out, or load_balancers: true for the team in the stack's config"
)


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    users = (f"teams.{it}.users={{edit: [{who}@example.com]}}" for who, it in TEAMS.items())
    sandbox.succeed("up", *users, *SETTINGS)
    return sandbox


@pytest.fixture(scope="module")
def people(live: LiveSandbox, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Api]:
    found: dict[str, Api] = {}
    for name, team in TEAMS.items():
        user = {"token": token_with_role_of(live.plane, name, team)}
        folder = tmp_path_factory.mktemp(name)
        found[name] = Api(kubeconfig_of(live.plane, folder, name, user))
    return found


def of_team(who: str, manifest: JsonObject) -> JsonObject:
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": TEAMS[who]}}


def service(**spec: Any) -> JsonObject:
    ports = [{"port": 80, "protocol": "TCP"}]
    return make("Service", "door", spec={"selector": {"app": "a"}, "ports": ports, **spec})


def ray_cluster(**head: Any) -> JsonObject:
    group = {"rayStartParams": {}, "template": {"spec": {"containers": [container()]}}, **head}
    return {"headGroupSpec": group}


def claim(size: str) -> JsonObject:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": asking(storage=size)}
    return make("PersistentVolumeClaim", "disk", spec=spec)


def pod(parts: Mapping[str, Any], of_container: Mapping[str, Any]) -> JsonObject:
    own = {"resources": asking(cpu="1"), **of_container}
    spec = {"containers": [container(**own)], **parts}
    return make("Pod", "probe", spec=spec)


def gib_pod(*, read_only: bool = True) -> JsonObject:
    mounts = [{**it, "readOnly": read_only} for it in gib_mounts()]
    return pod({"volumes": gib_volumes()}, {"volumeMounts": mounts})


def host_path(path: str) -> Mapping[str, Any]:
    return {"volumes": [{"name": "node", "hostPath": {"path": path}}]}


def mounting(**source: Any) -> JsonObject:
    return pod({"volumes": [{"name": "store", **source}]}, {})


def ray_job(**spec: Any) -> JsonObject:
    base = {"entrypoint": "true", "shutdownAfterJobFinishes": True}
    return make("RayJob", "ray", RAY, spec={**base, **spec})


def secure(**fields: Any) -> Mapping[str, Any]:
    return {"securityContext": fields}


def _replicated(kind: str, version: str, **spec: Any) -> JsonObject:
    labels = {"app": "work"}
    template = {"metadata": {"labels": labels}, "spec": pod({}, {})["spec"]}
    wanted = {"selector": {"matchLabels": labels}, "template": template, **spec}
    return make(kind, "work", version, spec=wanted)


def _once() -> JsonObject:
    return {"template": {"spec": {**pod({}, {})["spec"], "restartPolicy": "Never"}}}


RUNNING: Mapping[str, JsonObject] = {
    "Deployment": _replicated("Deployment", "apps/v1"),
    "Job": make("Job", "work", "batch/v1", spec=_once()),
    "JobSet": make(
        "JobSet",
        "work",
        "jobset.x-k8s.io/v1alpha2",
        spec={"replicatedJobs": [{"name": "a", "replicas": 1, "template": {"spec": _once()}}]},
    ),
    "RayCluster": make("RayCluster", "work", RAY, spec=ray_cluster()),
    "StatefulSet": _replicated("StatefulSet", "apps/v1", serviceName="work", replicas=2),
}
WORK: Mapping[str, JsonObject] = {
    **RUNNING,
    "CronJob": make(
        "CronJob",
        "work",
        "batch/v1",
        spec={"schedule": "@yearly", "jobTemplate": {"spec": _once()}},
    ),
    "workers of a RayCluster": make(
        "RayCluster",
        "work",
        RAY,
        spec={
            **ray_cluster(),
            "workerGroupSpecs": [
                {
                    "groupName": "a",
                    "maxReplicas": 1,
                    "minReplicas": 0,
                    "rayStartParams": {},
                    "template": {"spec": pod({}, {})["spec"]},
                }
            ],
        },
    ),
    "RayJob": ray_job(rayClusterSpec=ray_cluster()),
}


def _labelled(manifest: JsonObject, priority: str) -> JsonObject:
    labels = {PRIORITY_LABEL: priority}
    return {**manifest, "metadata": {**manifest["metadata"], "labels": labels}}


def _with_class(manifest: JsonObject, name: str) -> JsonObject:
    """In the last of its templates."""
    changed = copy.deepcopy(manifest)
    *_, spec = _pod_specs(changed)
    spec["priorityClassName"] = name
    return changed


def _pod_specs(part: Any) -> Iterator[JsonObject]:
    if isinstance(part, dict):
        if "containers" in part:
            yield part
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from _pod_specs(one)


@dataclass(frozen=True)
class Attack:
    who: str
    manifest: JsonObject
    refusal: str
    policy: str = field(default="")

    @property
    def words(self) -> str:
        """How the API server names the policy that refuses."""
        denied = f"ValidatingAdmissionPolicy '{self.policy}' with binding '{self.policy}' denied "
        return f"{denied}request: {self.refusal}" if self.policy else self.refusal


def _published(manifest: JsonObject, refusal: str = TEAM_RAY) -> Attack:
    return Attack("ada", manifest, refusal, SERVICES)


def _not_baseline(parts: Mapping[str, Any], of_container: Mapping[str, Any], why: str) -> Attack:
    refusal = f'violates PodSecurity "baseline:latest": {why}'
    return Attack("ada", pod(parts, of_container), refusal)


def _from_node(parts: Mapping[str, Any], of_container: Mapping[str, Any], why: str) -> Attack:
    return Attack("eve", pod(parts, of_container), why, PODS)


def _reaching(who: str, manifest: JsonObject, refusal: str) -> Attack:
    return Attack(who, manifest, refusal, REACH)


STACKS_HEAD = "lab-head-svc.default.svc.cluster.local"
_LEADS = (
    "serviceType, headService: ExternalName leads KubeRay's operator, which reaches more than the "
    "team, to another's address; nearest: ClusterIP"
)
_NOT_GIVEN = (
    "spec.volumes: a node would mount disks and file servers that the team was not given; "
    "nearest: a persistentVolumeClaim, or a bucket by the driver gcsfuse.csi.storage.gke.io"
)
_NO_NAMESPACE = (
    "spec.hostNetwork, hostPID, hostIPC: pods of a team share no namespace with their node; "
)
_NO_FOLDER = "spec.volumes: of their node pods of a team mount the folders of gIB alone; nearest: "
_APART = (
    "securityContext: seccompProfile, appArmorProfile, procMount, seLinuxOptions and "
    "windowsOptions.hostProcess keep a container apart from its node; nearest: leave them out"
)
_CAPABLE = (
    "securityContext.capabilities.add: more than containers have by default; nearest: leave it out"
)
_HOST = (
    "livenessProbe, readinessProbe, startupProbe, lifecycle: with a host the node asks others; "
    "nearest: leave host out"
)
_NO_PRIORITY = (
    "work of others would make way for the team's; nearest: leave it out, or its name in the "
    "team's priorities in the stack's config"
)
_PRIORITY_LABEL = f"metadata.labels, {PRIORITY_LABEL}: "
ATTACKS: Mapping[str, Attack] = {
    "load balancer": _published(service(type="LoadBalancer"), TEAM_SERVICE),
    "node port": _published(service(type="NodePort"), TEAM_SERVICE),
    "external address": _published(service(externalIPs=["203.0.113.7"]), "spec.externalIPs: "),
    "ingress of a Ray cluster": _published(
        make("RayCluster", "ray", RAY, spec=ray_cluster(enableIngress=True))
    ),
    "load balancer of a Ray cluster": _published(
        make("RayCluster", "ray", RAY, spec=ray_cluster(serviceType="LoadBalancer"))
    ),
    "node port of a Ray cluster": _published(
        make(
            "RayCluster",
            "ray",
            RAY,
            spec=ray_cluster(headService={"spec": {"type": "NodePort"}}),
        )
    ),
    "ingress of a RayJob": _published(
        make(
            "RayJob",
            "ray",
            RAY,
            spec={"entrypoint": "true", "rayClusterSpec": ray_cluster(enableIngress=True)},
        )
    ),
    "service that leads elsewhere": _reaching(
        "bob",
        make("Service", "door", spec={"type": "ExternalName", "externalName": STACKS_HEAD}),
        "spec.type: ExternalName leads who reaches more than the team to another's address; "
        "nearest: ClusterIP, or the other name itself in the team's programs",
    ),
    "head's service that leads elsewhere": _reaching(
        "bob",
        make(
            "RayCluster",
            "ray",
            RAY,
            spec=ray_cluster(
                headService={"spec": {"type": "ExternalName", "externalName": STACKS_HEAD}}
            ),
        ),
        _LEADS,
    ),
    "service type that leads elsewhere": _reaching(
        "ada", make("RayCluster", "ray", RAY, spec=ray_cluster(serviceType="ExternalName")), _LEADS
    ),
    "head's service of a RayJob that leads elsewhere": _reaching(
        "ada", ray_job(rayClusterSpec=ray_cluster(serviceType="ExternalName")), _LEADS
    ),
    "job that KubeRay's operator posts": _reaching(
        "ada",
        ray_job(submissionMode="HTTPMode", rayClusterSpec=ray_cluster()),
        "spec.submissionMode: in HTTPMode KubeRay's operator, which reaches more than the team, "
        "posts the job to wherever the team's head sends it; nearest: K8sJobMode, which is the "
        "default, or SidecarMode",
    ),
    "job that KubeRay's operator posts to a cluster there is": _reaching(
        "ada",
        ray_job(submissionMode="HTTPMode", clusterSelector={"ray.io/cluster": "lab"}),
        "spec.submissionMode: in HTTPMode",
    ),
    "applications that KubeRay's operator puts": _reaching(
        "bob",
        make("RayService", "ray", RAY, spec={"rayClusterConfig": ray_cluster()}),
        "kind RayService: KubeRay's operator, which reaches more than the team, puts its "
        "applications to wherever the team's head sends them; ",
    ),
    "disk of somebody": _reaching(
        "ada", mounting(gcePersistentDisk={"pdName": "disk-of-somebody"}), _NOT_GIVEN
    ),
    "file server": _reaching(
        "eve", mounting(nfs={"server": "10.10.0.9", "path": "/home"}), _NOT_GIVEN
    ),
    "disk of the network": _reaching(
        "ada",
        mounting(iscsi={"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.a:s", "lun": 0}),
        _NOT_GIVEN,
    ),
    "Lustre without a claim": _reaching(
        "ada",
        mounting(
            csi={
                "driver": "lustre.csi.storage.gke.io",
                "volumeAttributes": {"ip": "10.10.0.2", "filesystem": "lustre"},
            }
        ),
        _NOT_GIVEN,
    ),
    "priority over the cluster's own pods": _reaching(
        "ada",
        pod({"priorityClassName": "system-node-critical"}, {}),
        f"spec.priorityClassName: {_NO_PRIORITY}",
    ),
    "priority that another team was given": _reaching(
        "ada", pod({"priorityClassName": "first"}, {}), f"spec.priorityClassName: {_NO_PRIORITY}"
    ),
    "Kueue's priority of a pod": _reaching(
        "ada", _labelled(pod({}, {}), "soon"), f"{_PRIORITY_LABEL}{_NO_PRIORITY}"
    ),
    **{
        f"Kueue's priority of a {kind}": _reaching(
            "ada", _labelled(it, "soon"), f"{_PRIORITY_LABEL}{_NO_PRIORITY}"
        )
        for kind, it in WORK.items()
    },
    **{
        f"priority of pods of a {kind}": _reaching(
            "ada", _with_class(it, "first"), f"priorityClassName in a template: {_NO_PRIORITY}"
        )
        for kind, it in WORK.items()
    },
    "token without an end": _reaching(
        "ada",
        {
            **make("Secret", "token", type="kubernetes.io/service-account-token"),
            "metadata": {
                "name": "token",
                "annotations": {"kubernetes.io/service-account.name": "default"},
            },
        },
        "type: a token in a Secret has no end, and is good outside its pod; ",
    ),
    "ingress": Attack(
        "bob",
        make("Ingress", "door", "networking.k8s.io/v1", spec={"defaultBackend": {}}),
        'cannot patch resource "ingresses" in API group "networking.k8s.io"',
    ),
    "network policy": Attack(
        "bob",
        make("NetworkPolicy", "all", "networking.k8s.io/v1", spec={"podSelector": {}}),
        'cannot patch resource "networkpolicies" in API group "networking.k8s.io"',
    ),
    "big volume": Attack(
        "ada",
        claim("1Ti"),
        "exceeded quota: storage, requested: requests.storage=1Ti, used: requests.storage=0, "
        "limited: requests.storage=0",
    ),
    "volume past the team's storage": Attack(
        "bob",
        claim("11Gi"),
        "exceeded quota: storage, requested: requests.storage=11Gi, used: requests.storage=0, "
        "limited: requests.storage=10Gi",
    ),
    "GPUs of queues by a team without one": Attack(
        "bob",
        pod({}, {"resources": {"limits": {"nvidia.com/gpu": "1"}}}),
        "exceeded quota: team, requested: requests.nvidia.com/gpu=1, used: "
        "requests.nvidia.com/gpu=0, limited: requests.nvidia.com/gpu=0",
    ),
    "privileged pod": _not_baseline({}, secure(privileged=True), "privileged (container "),
    "pod with the node's folders": _not_baseline(host_path("/"), {}, "hostPath volumes (volume "),
    "pod on the node's network": _not_baseline(
        {"hostNetwork": True}, {}, "host namespaces (hostNetwork=true)"
    ),
    "pod with gIB's folders": Attack(
        "ada", gib_pod(), 'hostPath volumes (volumes "nvidia", "gib")'
    ),
    "privileged pod beside gIB": _from_node(
        {}, secure(privileged=True), "securityContext.privileged: a privileged container has "
    ),
    "root of the node beside gIB": _from_node(host_path("/"), {}, _NO_FOLDER),
    "folder above gIB's": _from_node(host_path("/home/kubernetes/bin"), {}, _NO_FOLDER),
    "gIB's folders to write": Attack(
        "eve",
        gib_pod(read_only=False),
        "volumeMounts: other pods have the same folders of the node; nearest: readOnly: true",
        PODS,
    ),
    "node's network beside gIB": _from_node({"hostNetwork": True}, {}, _NO_NAMESPACE),
    "node's processes beside gIB": _from_node({"hostPID": True}, {}, _NO_NAMESPACE),
    "node's memory beside gIB": _from_node({"hostIPC": True}, {}, _NO_NAMESPACE),
    "capability beside gIB": _from_node({}, secure(capabilities={"add": ["SYS_ADMIN"]}), _CAPABLE),
    "capability of an init container": _from_node(
        {"initContainers": [container("first", **secure(capabilities={"add": ["NET_RAW"]}))]},
        {},
        _CAPABLE,
    ),
    "no seccomp beside gIB": _from_node(secure(seccompProfile={"type": "Unconfined"}), {}, _APART),
    "no AppArmor beside gIB": _from_node(
        {}, secure(appArmorProfile={"type": "Unconfined"}), _APART
    ),
    "SELinux user beside gIB": _from_node({}, secure(seLinuxOptions={"user": "system_u"}), _APART),
    "unmasked proc beside gIB": _from_node(
        {"hostUsers": False}, secure(procMount="Unmasked"), _APART
    ),
    "sysctl beside gIB": _from_node(
        secure(sysctls=[{"name": "kernel.msgmax", "value": "1"}]),
        {},
        "spec.securityContext.sysctls: these settings are the node's; nearest: leave them out",
    ),
    "port of the node beside gIB": _from_node(
        {},
        {"ports": [{"containerPort": 80, "hostPort": 80}]},
        "ports.hostPort: a port of the node leads past the team's network policy; ",
    ),
    "probe of another host": _from_node(
        {}, {"livenessProbe": {"httpGet": {"port": 80, "host": "169.254.169.254"}}}, _HOST
    ),
    "hook to another host": _from_node(
        {},
        {"lifecycle": {"preStop": {"httpGet": {"port": 80, "host": "169.254.169.254"}}}},
        _HOST,
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_reaches_past_the_team_is_refused_with_its_reason(
    people: Mapping[str, Api], name: str
) -> None:
    attack = ATTACKS[name]
    manifest = of_team(attack.who, attack.manifest)
    said = refused(lambda: people[attack.who].apply(manifest, dry_run=True))
    assert attack.words in said


def test_a_service_of_the_cluster_does_not_become_one_of_the_world(
    people: Mapping[str, Api],
) -> None:
    door = of_team("ada", service())
    people["ada"].apply(door)
    change = {"spec": {"type": "LoadBalancer"}}
    assert TEAM_SERVICE in refused(lambda: people["ada"].patch(door, change))
    people["ada"].delete(door)


def test_a_job_brings_no_pod_that_its_member_may_not_start(
    live: LiveSandbox, people: Mapping[str, Api]
) -> None:
    """The Job itself asks nothing of a node: its controller is refused, in Kubernetes' events."""
    template = pod(host_path("/"), {})["spec"] | {"restartPolicy": "Never"}
    job = of_team("eve", make("Job", "deep", "batch/v1", spec={"template": {"spec": template}}))
    people["eve"].apply(job)
    events = eventually(
        lambda: [
            str(it.get("message"))
            for it in live.server.list("v1", "Event")
            if dig(it, "involvedObject", "name") == "deep" and it.get("reason") == "FailedCreate"
        ],
        bool,
    )
    assert _NO_FOLDER in events[0]
    people["eve"].delete(job, dependents_first=True)


OWN_VOLUMES: Mapping[str, Mapping[str, Any]] = {
    "configMap": {"name": "settings"},
    "csi": {"driver": "gcsfuse.csi.storage.gke.io", "volumeAttributes": {"bucketName": "data"}},
    "downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]},
    "emptyDir": {},
    "ephemeral": {"volumeClaimTemplate": {"spec": claim("1Gi")["spec"]}},
    "image": {"reference": "example.com/weights:1"},
    "persistentVolumeClaim": {"claimName": "disk"},
    "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]},
    "secret": {"secretName": "key"},
}


@pytest.mark.parametrize("source", OWN_VOLUMES)
def test_a_pod_mounts_what_is_its_teams(people: Mapping[str, Api], source: str) -> None:
    mounts = of_team("ada", mounting(**{source: OWN_VOLUMES[source]}))
    people["ada"].apply(mounts, dry_run=True)


def test_a_job_on_ray_that_the_team_posts_itself_is_taken(people: Mapping[str, Api]) -> None:
    posts = ray_job(submissionMode="SidecarMode", rayClusterSpec=ray_cluster())
    people["ada"].apply(of_team("ada", posts), dry_run=True)
    people["ada"].apply(of_team("ada", ray_job(rayClusterSpec=ray_cluster())), dry_run=True)


def test_work_gets_no_priority_later(people: Mapping[str, Api]) -> None:
    own = of_team("ada", WORK["CronJob"])
    people["ada"].apply(own)
    refused(
        lambda: people["ada"].patch(own, {"metadata": {"labels": {PRIORITY_LABEL: "soon"}}}),
        f"{_PRIORITY_LABEL}{_NO_PRIORITY}",
    )
    refused(
        lambda: people["ada"].patch(own, {"spec": _with_class(WORK["CronJob"], "first")["spec"]}),
        f"priorityClassName in a template: {_NO_PRIORITY}",
    )
    people["ada"].patch(own, {"metadata": {"labels": {"seen": "yes"}}})
    people["ada"].delete(own)


def test_a_job_on_ray_does_not_become_one_that_the_operator_posts(
    live: LiveSandbox, people: Mapping[str, Api]
) -> None:
    own = of_team("ada", ray_job(suspend=True, rayClusterSpec=ray_cluster()))
    people["ada"].apply(own)
    change = {"spec": {"submissionMode": "HTTPMode"}}
    refused(lambda: people["ada"].patch(own, change), "spec.submissionMode: in HTTPMode")
    people["ada"].delete(own)
    eventually(lambda: live.server.get(Ref.of(own)), lambda it: it is None)


@pytest.mark.parametrize("kind", RUNNING)
def test_work_of_each_kind_runs_and_goes(
    live: LiveSandbox, people: Mapping[str, Api], kind: str
) -> None:
    """Controllers write what a member may not: owners, labels, and what they take off again."""
    work = of_team("ada", RUNNING[kind])
    people["ada"].apply(work)

    def phases() -> list[object]:
        return [
            dig(it, "status", "phase")
            for it in live.server.list("v1", "Pod")
            if it["metadata"]["namespace"] == "research"
            and str(it["metadata"]["name"]).startswith("work-")
        ]

    count = work["spec"].get("replicas", 1)
    eventually(phases, lambda them: them == ["Running"] * count)
    people["ada"].delete(work, dependents_first=True)
    eventually(lambda: (live.server.get(Ref.of(work)), phases()), lambda it: not any(it))


def test_what_the_config_gives_a_team_has(people: Mapping[str, Api]) -> None:
    people["eve"].apply(of_team("eve", gib_pod()), dry_run=True)
    people["eve"].apply(
        of_team("eve", _labelled(pod({"priorityClassName": "first"}, {}), "soon")), dry_run=True
    )
    people["eve"].apply(of_team("eve", _with_class(WORK["JobSet"], "first")), dry_run=True)
    # The cluster's default, whether a pod names it or not.
    people["ada"].apply(of_team("ada", pod({"priorityClassName": "usual"}, {})), dry_run=True)
    people["ada"].apply(of_team("ada", service()), dry_run=True)
    people["ada"].apply(of_team("ada", pod({}, {})), dry_run=True)
    people["ada"].apply(
        of_team("ada", make("RayCluster", "ray", RAY, spec=ray_cluster())), dry_run=True
    )
    for given in (service(type="LoadBalancer"), service(type="NodePort"), claim("10Gi")):
        people["bob"].apply(of_team("bob", given), dry_run=True)


def test_what_a_team_published_before_the_policy_stays_and_can_go(
    live: LiveSandbox, people: Mapping[str, Api]
) -> None:
    """The cloud's controller takes its finalizer off by an update."""
    old = of_team("bob", service(type="LoadBalancer"))
    people["bob"].apply(old)
    eventually(
        lambda: dig(live.server.get(Ref.of(old)) or {}, "metadata", "finalizers"),
        lambda held: held == [FINALIZER],
    )
    binding = make(
        "ValidatingAdmissionPolicyBinding",
        "later",
        "admissionregistration.k8s.io/v1",
        spec=binding_spec(SERVICES, [TEAMS["bob"]]),
    )
    live.server.apply(binding)
    try:
        new = copy.deepcopy(old)
        new["metadata"]["name"] = "new"
        assert TEAM_SERVICE in refused(lambda: people["bob"].apply(new, dry_run=True))
        people["bob"].patch(old, {"metadata": {"labels": {"seen": "yes"}}})
        people["bob"].delete(old)
        eventually(lambda: live.server.get(Ref.of(old)), lambda it: it is None)
    finally:
        live.server.delete(Ref.of(binding))


def test_what_bounds_a_team_its_members_do_not_change(
    live: LiveSandbox, people: Mapping[str, Api]
) -> None:
    storage = Ref(api_version="v1", kind="ResourceQuota", namespace="research", name="storage")
    quota = live.server.get(storage) or {}
    assert maps([quota])
    change = {"spec": {"hard": {"requests.storage": "1Pi"}}}
    assert 'cannot patch resource "resourcequotas"' in refused(
        lambda: people["ada"].patch(quota, change)
    )
    kind, api = "ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/v1"
    binding = live.server.get(Ref(api_version=api, kind=kind, namespace="", name=SERVICES)) or {}
    assert 'cannot patch resource "validatingadmissionpolicybindings"' in refused(
        lambda: people["ada"].patch(binding, {"spec": {"validationActions": ["Audit"]}})
    )
