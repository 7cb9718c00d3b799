"""A namespace, as registered."""

from components.base.namespace import KubeNamespace, KubeNamespaceArgs
from components.base.pod_access import TEAM_LABEL, team_access_spec
from components.base.pod_security import pod_security_labels
from tests.conftest import Register, inside


def test_it_has_the_stacks_labels(register: Register) -> None:
    labels = {"stack": "test"}
    args = KubeNamespaceArgs(namespace="rl", pod_security="baseline", labels=labels)
    made = register(lambda: KubeNamespace("kube", args, opts=inside()))
    assert made.one(":Namespace").inputs["metadata"] == {
        "name": "rl",
        "labels": {**labels, **pod_security_labels("baseline")},
    }
    assert made.outputs[made.named("kube").urn] == {"namespace": "rl"}


def test_one_of_somebody_elses_is_there_with_its_policy(register: Register) -> None:
    args = KubeNamespaceArgs(
        namespace="research", pod_security="baseline", team="research", labels={}
    )
    made = register(lambda: KubeNamespace("kube-research", args, opts=inside()))
    assert made.one(":Namespace").inputs["metadata"]["labels"][TEAM_LABEL] == "research"
    policy = made.one(":NetworkPolicy").inputs
    assert (policy["metadata"]["namespace"], policy["spec"]) == ("research", team_access_spec())
    assert made.outputs[made.named("kube-research").urn] == {"namespace": "research"}
