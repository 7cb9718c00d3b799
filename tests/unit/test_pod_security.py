"""What pods of a stack may ask of their node, and which of them have a token for the API server.

Pods are all that programs of presets and small stacks render, so a new kind of work is judged, too.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from components.base.pod_security import pod_security_labels
from components.images.preload import ImagePreloadArgs, preload_spec
from sandbox.memory_kube.pod_security import past_baseline
from sandbox.memory_kube.ray_pods import head_template
from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import Recording, changed, stack_config
from tests.parts.samples import KEPT, RL
from tests.programs import WITH_ALL_SECRETS, registered
from tests.unit.effect_stacks import BASES

NAMESPACE = "kubernetes:core/v1:Namespace"
ENFORCE = "pod-security.kubernetes.io/enforce"
PRESETS = (
    *("b200-lustre", "dev", "gcsfuse-checkpoint", "kueue-mixed", "lab", "serve-autopilot"),
    *("tpu-elastic", "tpu-multislice", "verl-b200", "verl-b200-autopilot", "verl-h200"),
)
SMALL = (
    *("rl", "kept", "own with rdma", "queued script", "teams", "two verl", "vllm"),
    *("claimed", "limited", "queued", "two tpu"),
)
# Privileged pods of Google's own, as they are: of what Autopilot's allowlist compares, nobody says
# whether this is a part (components/nccl/rdma_installer.py and gpu_driver_installer.py there).
GOOGLES = ("nccl-daemon-set", "gpu-driver-daemon-set")


def planned(stack: str) -> Plan:
    config = stack_config(stack) if stack in PRESETS else BASES[stack]
    return validate(config, secrets_set=WITH_ALL_SECRETS)


def levels_of(made: Recording) -> dict[str, str]:
    """Of namespaces, by name."""
    spaces = (it.inputs["metadata"] for it in made.resources if it.type == NAMESPACE)
    return {it["name"]: it["labels"][ENFORCE] for it in spaces}


def pods(value: Any) -> Iterator[dict[str, Any]]:
    """Each pod's spec within an object."""
    if isinstance(value, dict):
        containers = value.get("containers")
        # A PodMonitoring has some without an image.
        if isinstance(containers, list) and all("image" in it for it in containers):
            yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from pods(each)


def pods_of(made: Recording) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """With the resource's name and namespace; those of charts are not the program's."""
    for it in made.resources:
        if it.custom and it.type.startswith("kubernetes:") and ":Release" not in it.type:
            where = (it.inputs.get("metadata") or {}).get("namespace", "default")
            yield from ((it.name, where, pod) for pod in pods(it.inputs))


@pytest.mark.parametrize("stack", [*PRESETS, *SMALL])
def test_each_namespace_takes_the_pods_that_the_stack_has_in_it(stack: str, folder: Path) -> None:
    made = registered(planned(stack), folder=folder)
    past = {where for _, where, pod in pods_of(made) if list(past_baseline(pod))}
    levels = levels_of(made)
    assert {it for it, level in levels.items() if level == "baseline"}.isdisjoint(past)
    assert set(levels.values()) <= {"baseline", "privileged"}


@pytest.mark.parametrize(("config", "level"), [(KEPT, "baseline"), (RL, "privileged")])
def test_a_stacks_own_namespaces_take_folders_of_nodes_only_where_pods_speak_rdma(
    config: dict[str, Any], level: str
) -> None:
    own_namespace = changed(config, namespace="work")
    made = registered(validate(own_namespace, secrets_set=WITH_ALL_SECRETS))
    own = {
        it.inputs["metadata"]["labels"][ENFORCE]
        for it in made.resources
        if it.type == NAMESPACE and it.name.startswith("kube-")
    }
    assert own == {level}


TOKEN_DIR = "/var/run/secrets/kubernetes.io/serviceaccount"


def projects_a_token(pod: Mapping[str, Any]) -> bool:
    sources = (
        source
        for volume in pod.get("volumes", [])
        for source in volume.get("projected", {}).get("sources", [])
    )
    return any("serviceAccountToken" in it for it in sources)


@pytest.mark.parametrize("stack", [*PRESETS, *SMALL])
def test_no_pod_has_a_token_for_the_api_server_but_a_head_whose_autoscaler_uses_it(
    stack: str, folder: Path
) -> None:
    made = registered(planned(stack), folder=folder)
    scaled = {
        it.name
        for it in made.resources
        if it.inputs.get("spec", {}).get("enableInTreeAutoscaling")
        or it.inputs.get("spec", {}).get("rayClusterSpec", {}).get("enableInTreeAutoscaling")
    }
    own = [(name, pod) for name, _, pod in pods_of(made) if name not in GOOGLES]
    assert [it for it, pod in own if pod.get("automountServiceAccountToken") is not False] == []
    assert {name for name, pod in own if projects_a_token(pod)} == scaled


def test_jobs_on_an_autoscaled_ray_cluster_have_no_token_of_its_autoscaler() -> None:
    """KubeRay 1.4.2 adds the autoscaler's container to the head, with these mounts."""
    made = registered(planned("dev"))
    (spec,) = (
        it.inputs["spec"]
        for it in made.resources
        if it.inputs.get("spec", {}).get("enableInTreeAutoscaling")
    )
    autoscaler, head = head_template(spec)["spec"]["containers"][::-1]
    with_tokens = [
        it["name"]
        for it in (head, autoscaler)
        if TOKEN_DIR in [mount["mountPath"] for mount in it["volumeMounts"]]
    ]
    assert (head["name"], with_tokens) == ("ray-head", ["autoscaler"])
    volumes = {it["name"]: it for it in spec["headGroupSpec"]["template"]["spec"]["volumes"]}
    (mount,) = autoscaler["volumeMounts"]
    sources = volumes[mount["name"]]["projected"]["sources"]
    # What Ray's load_k8s_secrets opens, and the namespace as the API server's own volume has it.
    assert [it["serviceAccountToken"]["path"] for it in sources[:1]] == ["token"]
    assert sources[1]["configMap"]["items"] == [{"key": "ca.crt", "path": "ca.crt"}]
    assert sources[2]["downwardAPI"]["items"][0]["path"] == "namespace"


def test_what_pulls_images_before_their_pods_may_do_nothing_else() -> None:
    args = ImagePreloadArgs(
        preload_name="images", images=["a", "b"], pause_image="pause", node_selectors=[], labels={}
    )
    pod = preload_spec(args)["template"]["spec"]
    containers = [*pod["initContainers"], *pod["containers"]]
    assert len(containers) == 3
    for it in containers:
        assert it["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }
    assert pod["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}
    assert not pod["automountServiceAccountToken"]


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r'"strict" is not baseline or privileged; nearest: base'):
        pod_security_labels("strict")
