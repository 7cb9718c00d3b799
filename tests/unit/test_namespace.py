"""A namespace, as registered."""

from components.namespace import KubeNamespace, KubeNamespaceArgs
from tests.conftest import Register


def test_it_has_the_stacks_labels(register: Register) -> None:
    args = KubeNamespaceArgs(namespace="rl", labels={"stack": "test"})
    made = register(lambda: KubeNamespace("kube", args))
    assert made.one(":Namespace").inputs["metadata"] == {"name": "rl", "labels": {"stack": "test"}}
    assert made.outputs[made.named("kube").urn] == {"namespace": "rl"}
