"""Admission policies for the namespaces of teams, as plain data. Pure.

One policy keeps a team from publishing a service outside the cluster; RBAC already withholds
Ingresses and Gateways. KubeRay creates an Ingress, a Service or a Gateway with rights of its own
where a member's Ray object asks for one (ray-project/kuberay v1.6.2 ray-operator/apis/ray/v1/
raycluster_types.go), so the policy reads Ray objects, too.

A second keeps a team from having others reach in its name what it does not reach itself. KubeRay's
operator posts the job of a RayJob in HTTPMode and puts the applications of a RayService at the
address of the team's own head, follows the head's redirects with the body (Go's http.Client does so
for 307 and 308), and reaches Ray clusters that the team's pods do not (ray-project/kuberay v1.6.2
ray-operator/controllers/ray/utils/dashboardclient/dashboard_httpclient.go, SubmitJobReq and
UpdateDeployments). A service of the type ExternalName leads it there without a head. A node mounts
volumes that a pod names, from its own address and, of some kinds, with its own identity.

It keeps work of a team from taking the place of others' by a priority that the team was not given,
too. Kueue goes by a label, and without it by the first class that a template of the work names
(kubernetes-sigs/kueue v0.19.2 pkg/controller/jobframework/interface.go, WorkloadPriorityClassName,
and pkg/util/priority/priority.go), before there is a pod. A pod that names no class has the whole
cluster's default by the time policies judge it (kubernetes/kubernetes v1.35.4
plugin/pkg/admission/priority/admission.go), so each PriorityClass is asked whether it is that one.

The third policy is for namespaces of the Pod Security level `privileged`: pods mount the two
folders of gIB read-only, and ask their node for nothing else that the level `baseline` refuses.
Its rules are those of kubernetes/pod-security-admission v0.35.4 policy/check_*.go, level baseline.
Nobody is exempt: a controller that acts for a member is refused as the member is.

The form is that of kubernetes/kubernetes v1.35.4 pkg/apis/admissionregistration/types.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.pod_manifest import GCSFUSE
from ..nccl.gib import NODE_DRIVER_DIR, NODE_GIB_DIR
from ..queues.guard_manifest import GUARDED
from ..queues.labels import PRIORITY_LABEL

_PUBLIC_TYPES = ("LoadBalancer", "NodePort")
_OUTSIDE_TYPES = ("ExternalName",)
# Volumes of a pod that have what is the pod's own, or a claim that the team's storage counts
# (kubernetes/kubernetes v1.35.4 pkg/apis/core/types.go, VolumeSource). Of `hostPath` the level of
# Pod Security judges, and at the level `privileged` the policy for it.
_VOLUMES = (
    "configMap",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "hostPath",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
)
_CREATE_AND_UPDATE = ("CREATE", "UPDATE")
# Templates of pods in objects of all kinds, but for those of a Ray cluster and of job sets.
_TEMPLATES = ("template", "jobTemplate.?spec.?template", "submitterPodTemplate")
# RayServices are refused as such.
_RAY_KINDS = ("rayclusters", "rayjobs")
# RayClusters have the head's fields in `spec`, RayJobs in a part of it.
_RAY_SPECS = ("spec", "spec.?rayClusterSpec")
_HEAD_SERVICES = ("serviceType", "headService.?spec.?type")
# What containerd gives a container anyway.
_CAPABILITIES = (
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
)
_SYSCTLS = (
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_wmem",
)
_SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"
_CLASS_OF_POD = "object.spec.?priorityClassName.orValue('')"
_WITHOUT_TEMPLATE = "request.resource.resource in ['pods', 'secrets', 'services']"
_NOT_GIVEN = (
    "work of others would make way for the team's; nearest: leave it out, or its name in the "
    "team's priorities in the stack's config"
)
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("lifecycle.?postStart", "lifecycle.?preStop")


def services_policy_spec() -> Any:
    """Spec of the ValidatingAdmissionPolicy that keeps services inside the cluster.

    An update is refused only for what it publishes anew: a controller takes its finalizer off a
    load balancer that was there before the policy.
    """
    return _spec(
        [
            _resources("", ["services"], _CREATE_AND_UPDATE),
            _resources("ray.io", _RAY_KINDS, _CREATE_AND_UPDATE),
        ],
        [
            _newly(
                _service_is_public,
                "spec.type: LoadBalancer and NodePort publish the service outside the cluster; "
                "nearest: ClusterIP, or load_balancers: true for the team in the stack's config",
                when="request.resource.resource != 'services'",
            ),
            _newly(
                _has_external_ips,
                "spec.externalIPs: addresses outside the cluster would lead to the team's pods; "
                "nearest: leave them out",
                when="request.resource.resource != 'services'",
            ),
            _newly(
                _ray_is_public,
                "enableIngress, serviceType, headService: KubeRay would publish Ray outside the "
                "cluster; nearest: leave these fields out, or load_balancers: true for the team in "
                "the stack's config",
                when="request.resource.group != 'ray.io'",
            ),
        ],
    )


def reach_policy_spec(priorities: Mapping[str, Sequence[str]]) -> Any:
    """Spec of the ValidatingAdmissionPolicy that keeps others from reaching in a team's name what
    the team does not reach, and from making way for it. An update is refused only for what it asks
    anew. `priorities` are by namespace."""
    kinds = {group: [it for it in names if it != "pods"] for group, names in GUARDED.items()}
    spec = _spec(
        [
            _resources("", ["services"], _CREATE_AND_UPDATE),
            _resources("", ["pods", "secrets"], ["CREATE"]),
            *(_resources(group, names, _CREATE_AND_UPDATE) for group, names in kinds.items()),
        ],
        [
            _newly(
                lambda it: _service_is(it, _OUTSIDE_TYPES),
                "spec.type: ExternalName leads who reaches more than the team to another's "
                "address; nearest: ClusterIP, or the other name itself in the team's programs",
                when="request.resource.resource != 'services'",
            ),
            _newly(
                lambda it: f"({' || '.join(_ray_services(it, _OUTSIDE_TYPES))})",
                "serviceType, headService: ExternalName leads KubeRay's operator, which reaches "
                "more than the team, to another's address; nearest: ClusterIP",
                when="request.resource.group != 'ray.io'",
            ),
            _newly(
                lambda it: f"({it}.spec.?submissionMode.orValue('') == 'HTTPMode')",
                "spec.submissionMode: in HTTPMode KubeRay's operator, which reaches more than the "
                "team, posts the job to wherever the team's head sends it; nearest: K8sJobMode, "
                "which is the default, or SidecarMode",
                when="request.resource.resource != 'rayjobs'",
            ),
            {
                "expression": "request.resource.resource != 'rayservices' || "
                "(request.operation == 'UPDATE' && object.spec == oldObject.spec)",
                "message": "kind RayService: KubeRay's operator, which reaches more than the team, "
                "puts its applications to wherever the team's head sends them; nearest: a "
                "RayCluster, and serve deploy from a pod of the team",
            },
            {
                "expression": "request.resource.resource != 'pods' || "
                "object.spec.?volumes.orValue([]).all(v, "
                f"{' || '.join(f'has(v.{it})' for it in _VOLUMES)} || "
                f"v.?csi.?driver.orValue('') == '{GCSFUSE}')",
                "message": "spec.volumes: a node would mount disks and file servers that the team "
                "was not given; nearest: a persistentVolumeClaim, or a bucket by the driver "
                f"{GCSFUSE}",
            },
            {
                "expression": "request.resource.resource != 'pods' || "
                f"{_is_given(_CLASS_OF_POD)} || (params != null && (params.metadata.name != "
                f"{_CLASS_OF_POD} || params.?globalDefault.orValue(false)))",
                "message": f"spec.priorityClassName: {_NOT_GIVEN}",
            },
            {
                "expression": f"{_WITHOUT_TEMPLATE} || variables.classes.all(name, "
                f"{_is_given('name')} || name in variables.classesBefore)",
                "message": f"priorityClassName in a template: {_NOT_GIVEN}",
            },
            {
                "expression": "request.resource.resource in ['secrets', 'services'] || "
                f"{_is_given(_label('object'))} || (request.operation == 'UPDATE' && "
                f"{_label('object')} == {_label('oldObject')})",
                "message": f"metadata.labels, {PRIORITY_LABEL}: {_NOT_GIVEN}",
            },
            {
                "expression": "request.resource.resource != 'secrets' || "
                "object.?type.orValue('') != 'kubernetes.io/service-account-token'",
                "message": "type: a token in a Secret has no end, and is good outside its pod; "
                "nearest: a projected volume with a serviceAccountToken",
            },
        ],
    )
    given = {name: list(them) for name, them in priorities.items() if them}
    variables = {
        "given": f"{given}[?request.namespace].orValue([])" if given else "[]",
        "classes": _classes("object"),
        "classesBefore": f"request.operation == 'UPDATE' ? {_classes('oldObject')} : []",
    }
    return {
        **spec,
        "paramKind": {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"},
        "variables": [{"name": name, "expression": it} for name, it in variables.items()],
    }


def pods_policy_spec() -> Any:
    """Spec of the ValidatingAdmissionPolicy for pods that mount the folders of gIB.

    Pods that exist are not judged: of what the policy reads, an update adds only ephemeral
    containers.
    """
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                _resources("", ["pods"], ["CREATE"]),
                _resources("", ["pods/ephemeralcontainers"], ["UPDATE"]),
            ]
        },
        "variables": [
            {
                "name": "containers",
                "expression": "object.spec.containers + "
                "object.spec.?initContainers.orValue([]) + "
                "object.spec.?ephemeralContainers.orValue([])",
            },
            {
                "name": "nodeFolders",
                "expression": "object.spec.?volumes.orValue([]).filter(v, has(v.hostPath))",
            },
            {
                # Of the pod, and of each container that has one.
                "name": "contexts",
                "expression": "[object.spec.?securityContext.orValue({})] + "
                "variables.containers.map(c, c.?securityContext.orValue({}))",
            },
        ],
        "validations": [
            {"expression": expression, "message": f"{message}; nearest: {nearest}"}
            for expression, message, nearest in _POD_RULES
        ],
    }


def _spec(rules: Sequence[Any], validations: Sequence[Any]) -> dict[str, Any]:
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": list(rules)},
        "validations": list(validations),
    }


def _resources(group: str, resources: Sequence[str], operations: Sequence[str]) -> dict[str, Any]:
    return {
        "apiGroups": [group],
        "apiVersions": ["*"],
        "resources": list(resources),
        "operations": list(operations),
    }


def _newly(expression: Any, message: str, *, when: str) -> dict[str, str]:
    """`when` excuses objects of other kinds; `expression` is that of the object before and after
    an update. A Service with a load balancer is updated as it goes, to take its finalizer off
    (k8s.io/cloud-provider service/helpers/helper.go, LoadBalancerCleanupFinalizer)."""
    before = f"request.operation == 'UPDATE' && {expression('oldObject')}"
    return {
        "expression": f"{when} || !({expression('object')}) || ({before})",
        "message": message,
    }


def _label(it: str) -> str:
    return f"{it}.metadata.?labels[?'{PRIORITY_LABEL}'].orValue('')"


def _is_given(name: str) -> str:
    return f"{name} == '' || {name} in variables.given"


def _classes(it: str) -> str:
    """Priority classes that templates of an object name, empty where they name none."""
    of_pod = "?spec.?priorityClassName.orValue('')"
    ones = [f"{it}.spec.?{template}.{of_pod}" for template in _TEMPLATES]
    ones += [f"{it}.{spec}.?headGroupSpec.?template.{of_pod}" for spec in _RAY_SPECS]
    several = [(f"{it}.spec.?replicatedJobs", "?template.?spec.?template")]
    several += [(f"{it}.{spec}.?workerGroupSpecs", "?template") for spec in _RAY_SPECS]
    lists = [f"{them}.orValue([]).map(one, one.{path}.{of_pod})" for them, path in several]
    return f"({' + '.join(['[' + ', '.join(ones) + ']', *lists])})"


def _service_is(it: str, types: Sequence[str]) -> str:
    return f"({it}.spec.?type.orValue('ClusterIP') in {_listed(types)})"


def _service_is_public(it: str) -> str:
    return _service_is(it, _PUBLIC_TYPES)


def _has_external_ips(it: str) -> str:
    return f"({it}.spec.?externalIPs.orValue([]).size() > 0)"


def _ray_services(it: str, types: Sequence[str]) -> list[str]:
    """Of each service that KubeRay makes for a Ray object, whether its type is one of these."""
    heads = [f"{it}.{spec}.?headGroupSpec" for spec in _RAY_SPECS]
    return [
        f"{head}.?{name}.orValue('') in {_listed(types)}"
        for head in heads
        for name in _HEAD_SERVICES
    ]


def _ray_is_public(it: str) -> str:
    fields = [
        *(f"{it}.{spec}.?headGroupSpec.?enableIngress.orValue(false)" for spec in _RAY_SPECS),
        *_ray_services(it, _PUBLIC_TYPES),
    ]
    return f"({' || '.join(fields)})"


def _listed(values: Sequence[str]) -> str:
    return f"[{', '.join(map(repr, values))}]"


def _hosts() -> str:
    """Hosts that a kubelet is to ask in a container's name."""
    handlers = [*_PROBES, *_HOOKS]
    asked = [
        f"c.?{handler}.?{how}.?host" for handler in handlers for how in ("httpGet", "tcpSocket")
    ]
    return f"[{', '.join(asked)}]"


_POD_RULES = (
    (
        "!object.spec.?hostNetwork.orValue(false) && !object.spec.?hostPID.orValue(false) && "
        "!object.spec.?hostIPC.orValue(false)",
        "spec.hostNetwork, hostPID, hostIPC: pods of a team share no namespace with their node",
        "leave them out",
    ),
    (
        f"variables.nodeFolders.all(v, v.hostPath.path in "
        f"{_listed((NODE_DRIVER_DIR, NODE_GIB_DIR))})",
        "spec.volumes: of their node pods of a team mount the folders of gIB alone",
        f"hostPath {NODE_DRIVER_DIR} or {NODE_GIB_DIR}",
    ),
    (
        "variables.containers.all(c, c.?volumeMounts.orValue([]).all(m, "
        "m.?readOnly.orValue(false) || !variables.nodeFolders.exists(v, v.name == m.name)))",
        "volumeMounts: other pods have the same folders of the node",
        "readOnly: true",
    ),
    (
        "variables.contexts.all(c, !c.?privileged.orValue(false))",
        "securityContext.privileged: a privileged container has its whole node",
        "leave it out",
    ),
    (
        "variables.contexts.all(c, c.?capabilities.?add.orValue([])"
        f".all(one, one in {_listed(_CAPABILITIES)}))",
        "securityContext.capabilities.add: more than containers have by default",
        "leave it out",
    ),
    (
        "variables.contexts.all(c, c.?seccompProfile.?type.orValue('') != 'Unconfined' && "
        "c.?appArmorProfile.?type.orValue('') != 'Unconfined' && "
        "c.?procMount.orValue('Default') == 'Default' && "
        "!c.?windowsOptions.?hostProcess.orValue(false) && "
        "!c.?seLinuxOptions.?user.hasValue() && !c.?seLinuxOptions.?role.hasValue() && "
        f"c.?seLinuxOptions.?type.orValue('') in {_listed(_SELINUX_TYPES)}) && "
        "object.metadata.?annotations.orValue({}).all(key, "
        f"!key.startsWith('{_APPARMOR_ANNOTATION}') || "
        "object.metadata.annotations[key] != 'unconfined')",
        "securityContext: seccompProfile, appArmorProfile, procMount, seLinuxOptions and "
        "windowsOptions.hostProcess keep a container apart from its node",
        "leave them out",
    ),
    (
        "object.spec.?securityContext.?sysctls.orValue([])"
        f".all(one, one.name in {_listed(_SYSCTLS)})",
        "spec.securityContext.sysctls: these settings are the node's",
        "leave them out",
    ),
    (
        "variables.containers.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0))",
        "ports.hostPort: a port of the node leads past the team's network policy",
        "containerPort alone",
    ),
    (
        f"variables.containers.all(c, {_hosts()}.all(host, host.orValue('') == ''))",
        "livenessProbe, readinessProbe, startupProbe, lifecycle: with a host the node asks others",
        "leave host out",
    ),
)
