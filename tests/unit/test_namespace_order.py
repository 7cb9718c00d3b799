"""What a destroy takes first: a namespace with all work in it, or what serves that work.

Finalizers of work are taken off by Kueue, KubeRay and JobSet, and a ClusterQueue stays while one of
its workloads has quota. So each namespace depends on all of them, and a destroy, which goes the
other way, takes it before them. What controllers then do is tried on a control plane
(`tests/kube/test_work_of_others.py`).
"""

import pytest

from cli.project import stack_names
from stacks.config import validate
from tests.conftest import Recording, changed, stack_config
from tests.programs import WITH_TOKEN, registered

_QUEUES = (":ClusterQueue", ":ResourceFlavor", ":AdmissionCheck", ":Topology", ":Cohort")
_OPERATORS = ("kueue-release", "kuberay-release", "jobset-release")


def of_preset(stack: str) -> Recording:
    """In a namespace of its own, beside those of its teams and queues."""
    config = changed(stack_config(stack), namespace="elsewhere")
    return registered(validate(config, secrets_set=WITH_TOKEN))


def serving(made: Recording) -> set[str]:
    """What has to be there for work in a namespace to go."""
    queues = {it.name for kind in _QUEUES for it in made.of_type(kind)}
    return queues | (set(_OPERATORS) & made.names())


def own_namespaces(made: Recording) -> list[str]:
    """Those that people work in: an operator's goes with its release."""
    return [
        it.name
        for it in made.of_type(":Namespace")
        if it.name.replace("-namespace", "-release") not in made.names()
    ]


@pytest.mark.parametrize("stack", stack_names())
def test_a_namespace_goes_before_what_takes_the_finalizers_of_its_work_off(stack: str) -> None:
    made = of_preset(stack)
    assert "kube-namespace" in own_namespaces(made)
    for name in own_namespaces(made):
        assert serving(made) <= made.waits_for(name), name


def test_the_presets_have_all_that_serves_work() -> None:
    found = {it for stack in stack_names() for it in serving(of_preset(stack))}
    assert set(_OPERATORS) <= found
    assert any("cluster-queue" in it for it in found)
