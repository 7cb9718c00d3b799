"""KubeRay's own rules for RayCluster and RayJob.

Source: ray-project/kuberay ray-operator/controllers/ray/utils/validation.go, v1.6.2.

KubeRay accepts such an object, emits an event and leaves it alone for ever; here it is refused at
once. Four rules are stricter than KubeRay's: replicas outside their range (it clamps them without a
word), two groups of one name (it mixes their pods), a rayClusterSpec beside a clusterSelector (it
ignores the former), and a missing entrypoint. A deletionStrategy and an upgradeStrategy KubeRay
runs, and the sandbox does not.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from packaging.version import InvalidVersion, Version

from catalog.strict_yaml import YamlError, load_yaml
from kube import paths
from kube.names import CLUSTER_SELECTOR_KEY, is_label_1035, is_label_1123
from kube.objects import JsonObject, annotations_of, dig, maps, name_of
from kube.ray import asks_for_token
from sandbox.kube.pod_rules import count_findings
from sandbox.memory_kube.ray_state import ENABLED, STORAGE, keeps_state

Finding = tuple[str, str]
# 63 less what KubeRay appends: a RayJob's own cluster gets five more characters and a dash.
MAX_NAME = {"RayCluster": 53, "RayJob": 47}
# ray-project/kuberay v1.6.2 ray-operator/controllers/ray/utils/validation.go:238.
_OLDEST_FOR_TOKEN = Version("2.52.0")
_OLDEST_FOR_KUBERNETES = Version("2.55.0")
_REDIS_VARIABLES = ("RAY_REDIS_ADDRESS", "REDIS_PASSWORD")


def ray_findings(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    kind, spec, annotations = manifest["kind"], manifest["spec"], annotations_of(manifest)
    yield from _name_findings(kind, name_of(manifest))
    if kind == "RayCluster":
        yield from _cluster_findings(spec, "spec", annotations)
    else:
        yield from _job_findings(spec, annotations)


def _name_findings(kind: str, name: str) -> Iterator[Finding]:
    if len(name) > MAX_NAME[kind]:
        text = f'"{name}" has {len(name)} characters, {kind} names have at most {MAX_NAME[kind]}'
        yield "metadata.name", text
    elif not is_label_1035(name):
        text = f'"{name}" must be lower-case letters, digits or - and start with a letter'
        yield "metadata.name", text


def _cluster_findings(
    spec: JsonObject, path: str, annotations: Mapping[str, str]
) -> Iterator[Finding]:
    autoscaling = bool(spec.get("enableInTreeAutoscaling"))
    yield from _redis_findings(spec, f"{path}.headGroupSpec", annotations)
    yield from _token_findings(spec, path)
    if dig(spec, "upgradeStrategy", "type") == "Recreate":
        why = "Recreate: the sandbox does not run it; nearest: None"
        yield f"{path}.upgradeStrategy.type", why
    names: set[str] = set()
    for index, group in enumerate(maps(spec.get("workerGroupSpecs"))):
        at, name = f"{path}.workerGroupSpecs[{index}]", group["groupName"]
        if name in names:
            yield f"{at}.groupName", f'duplicate value "{name}"'
        names.add(name)
        # The name is part of the pods' names, which KubeRay lower-cases, and a label value.
        if not is_label_1123(name.lower()):
            yield f"{at}.groupName", f'"{name}" must be at most 63 letters, digits or -'
        yield from _replica_findings(group, at, autoscaling=autoscaling)
        if group.get("suspend") and autoscaling:
            yield f"{at}.suspend", "is not supported with enableInTreeAutoscaling"


def _token_findings(spec: JsonObject, path: str) -> Iterator[Finding]:
    options = spec.get("authOptions") or {}
    at, version = f"{path}.authOptions", spec.get("rayVersion") or ""
    by_kubernetes = bool(options.get("enableK8sTokenAuth"))
    if not asks_for_token(spec):
        if by_kubernetes:
            yield f"{at}.enableK8sTokenAuth", "needs authOptions.mode token"
        return
    oldest = _OLDEST_FOR_KUBERNETES if by_kubernetes else _OLDEST_FOR_TOKEN
    try:
        known = Version(version)
    except InvalidVersion:
        yield f"{path}.rayVersion", f'"{version}" is no version; authOptions need {oldest} or newer'
        return
    if known < oldest:
        yield f"{path}.rayVersion", f"{version} is older than authOptions need; nearest: {oldest}"
    if by_kubernetes and options.get("secretName"):
        yield f"{at}.secretName", "may not be set beside enableK8sTokenAuth"


def _replica_findings(group: JsonObject, path: str, *, autoscaling: bool) -> Iterator[Finding]:
    low, high, wanted = group["minReplicas"], group["maxReplicas"], group["replicas"]
    for name in ("minReplicas", "maxReplicas"):
        if group[name] < 0:
            yield f"{path}.{name}", f"{group[name]} must not be negative"
    yield from count_findings(max(wanted, low) * max(group["numOfHosts"], 1), f"{path}.replicas")
    if group["numOfHosts"] < 1:
        yield f"{path}.numOfHosts", f"{group['numOfHosts']} must be at least 1"
    if low > high:
        yield f"{path}.minReplicas", f"{low} is greater than maxReplicas {high}"
    elif not autoscaling and not low <= wanted <= high:
        runs = min(max(wanted, low), high)
        text = (
            f"{wanted} is outside minReplicas {low} to maxReplicas {high}: KubeRay would run {runs}"
        )
        yield f"{path}.replicas", text


def _redis_findings(
    spec: JsonObject, path: str, annotations: Mapping[str, str]
) -> Iterator[Finding]:
    containers = maps(dig(spec, "headGroupSpec", "template", "spec", "containers"))
    variables = (
        {item.get("name") for item in maps(containers[0].get("env"))} if containers else set()
    )
    parameters = dig(spec, "headGroupSpec", "rayStartParams") or {}
    options = spec.get("gcsFaultToleranceOptions") is not None
    env = f"{path}.template.spec.containers[0].env"
    if not keeps_state(spec, annotations) and "RAY_REDIS_ADDRESS" in variables:
        yield env, "RAY_REDIS_ADDRESS needs gcsFaultToleranceOptions"
    if options:
        for name in (ENABLED, STORAGE):
            if annotations.get(name):
                text = "may not be set beside gcsFaultToleranceOptions"
                yield paths.join("metadata.annotations", name), text
        for name in _REDIS_VARIABLES:
            if name in variables:
                yield env, f"{name} may not be set beside gcsFaultToleranceOptions"
        if parameters.get("redis-password"):
            text = "redis-password may not be set beside gcsFaultToleranceOptions"
            yield f"{path}.rayStartParams", text
    if parameters.get("redis-username") or "REDIS_USERNAME" in variables:
        yield path, "the Redis user belongs in gcsFaultToleranceOptions.redisUsername"


def _job_findings(spec: JsonObject, annotations: Mapping[str, str]) -> Iterator[Finding]:
    if spec.get("clusterSelector"):
        yield from _selector_findings(spec)
    elif spec.get("rayClusterSpec") is None:
        yield "spec", "one of rayClusterSpec or clusterSelector must be set"
    else:
        yield from _cluster_findings(spec["rayClusterSpec"], "spec.rayClusterSpec", annotations)
    if not spec.get("shutdownAfterJobFinishes"):
        if spec.get("suspend") and not spec.get("clusterSelector"):
            yield "spec.suspend", "only a job with shutdownAfterJobFinishes can be suspended"
        if spec["ttlSecondsAfterFinished"] > 0:
            yield "spec.ttlSecondsAfterFinished", "only with shutdownAfterJobFinishes"
    if spec.get("deletionStrategy"):
        yield "spec.deletionStrategy", "the sandbox does not run it; nearest: leave it out"
    yield from _number_findings(spec)
    yield from _entry_findings(spec)


def _selector_findings(spec: JsonObject) -> Iterator[Finding]:
    if not spec["clusterSelector"].get(CLUSTER_SELECTOR_KEY):
        at = paths.join("spec.clusterSelector", CLUSTER_SELECTOR_KEY)
        yield at, "required value: the RayCluster's name"
    if spec.get("rayClusterSpec") is not None:
        yield "spec.rayClusterSpec", "is ignored beside clusterSelector, set one of the two"
    if spec.get("suspend"):
        yield "spec.suspend", "is not supported with clusterSelector"
    if spec["backoffLimit"] > 0:
        yield (
            "spec.backoffLimit",
            "is not supported with clusterSelector: a retry needs its own cluster",
        )
    if spec.get("metadata"):
        # KubeRay reads the Ray version from the missing rayClusterSpec and crashes (ray-project/
        # kuberay ray-operator/controllers/ray/common/job.go:167, v1.6.2).
        yield "spec.metadata", "is not supported with clusterSelector"


def _number_findings(spec: JsonObject) -> Iterator[Finding]:
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and deadline <= 0:
        yield "spec.activeDeadlineSeconds", f"{deadline} must be positive"
    for name in ("backoffLimit", "ttlSecondsAfterFinished"):
        if spec[name] < 0:
            yield f"spec.{name}", f"{spec[name]} must not be negative"


def _entry_findings(spec: JsonObject) -> Iterator[Finding]:
    interactive = spec["submissionMode"] == "InteractiveMode"
    if interactive and spec["backoffLimit"] > 0:
        yield "spec.backoffLimit", "is not supported in InteractiveMode"
    if not interactive and not (spec.get("entrypoint") or "").strip():
        yield "spec.entrypoint", "required value: without it `ray job submit` has nothing to run"
    if spec.get("runtimeEnvYAML"):
        try:
            parsed = load_yaml(spec["runtimeEnvYAML"])
        except YamlError:
            yield "spec.runtimeEnvYAML", "is not valid YAML"
        else:
            if not isinstance(parsed, dict):
                yield "spec.runtimeEnvYAML", "must be a YAML mapping"
