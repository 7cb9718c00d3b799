"""What a namespace of the level `baseline` refuses; that a real API server uses the same words,
tests/kube/test_teams.py shows."""

import pytest

from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import cpu_node, make, ref, refusal, workload
from tests.unit.quota_samples import FIRST, pod
from tests.unit.team_samples import UNSAFE

LEVEL = "pod-security.kubernetes.io/enforce"


def in_namespace(level: str) -> MemoryKube:
    kube = MemoryKube({}, [cpu_node()])
    namespace = make("Namespace", "vision")
    namespace["metadata"]["labels"] = {LEVEL: level}
    kube.apply(namespace)
    return kube


@pytest.mark.parametrize("name", UNSAFE)
def test_baseline_takes_no_pod_that_asks_too_much_of_its_node(name: str) -> None:
    parts, of_container, end = UNSAFE[name]
    unsafe = pod(name, FIRST, "vision")
    unsafe["spec"] |= parts
    unsafe["spec"]["containers"][0] |= of_container
    text = refusal(in_namespace("baseline"), unsafe)
    assert text == f'pods "{name}" is forbidden: violates PodSecurity "baseline:latest": {end}'
    in_namespace("privileged").apply(unsafe)


def test_a_deployment_of_such_pods_has_none_and_says_why() -> None:
    kube = in_namespace("baseline")
    server = workload("Deployment", "server", replicas=1)
    server["metadata"]["namespace"] = "vision"
    server["spec"]["template"]["spec"]["hostNetwork"] = True
    kube.apply(server)
    answer = kube.readiness(ref("Deployment", "server", "vision", "apps/v1"))
    assert answer.reason.endswith('"baseline:latest": host namespaces (hostNetwork=true)')
