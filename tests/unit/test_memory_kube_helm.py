"""Helm releases in memory: what a chart brings, what takes it away, and what is refused.

It cannot prove that a real chart renders: its objects are written down here.
"""

from typing import Any

import pytest

from catalog import Catalog
from kube.errors import KubeError
from kube.objects import Ref
from kube.pod_requests import requests_of
from sandbox.kube.helm import release_inputs, release_manifest
from sandbox.kube.helm.charts import CHARTS
from sandbox.memory_kube.memory import MemoryKube
from stacks.parts.cluster.config import Operator
from tests.unit.kueue_samples import (
    LOCK,
    NAMESPACE,
    RELEASE,
    SERVER_REF,
    changed,
    cluster_queue,
    configuration,
    flavor,
    kueue_ref,
    l4_nodes,
    local_queue,
    namespace,
    phases,
    pods_of,
    priority,
    refused,
    release,
    scenario,
    server,
    with_kueue,
)
from tests.unit.memory_kube_samples import cpu_node, make, ray_cluster, ray_ref, refusal

FACTS = Catalog.load()
RAY = FACTS.component("kuberay")
RAY_RELEASE = Ref(api_version="helm.sh/v3", kind="Release", name="kuberay", namespace="ray")


def kuberay(**values: Any) -> dict[str, Any]:
    assert RAY.chart is not None
    return {
        "apiVersion": "helm.sh/v3",
        "kind": "Release",
        "metadata": {"name": "kuberay", "namespace": "ray"},
        "spec": {
            "chart": RAY.chart.name,
            "repositoryOpts": {"repo": RAY.chart.repository},
            "version": RAY.version,
            "values": values,
        },
    }


def test_a_release_is_ready_once_its_pods_run() -> None:
    kube = with_kueue()
    assert kube.readiness(RELEASE).ready
    assert phases(kube, "kueue-controller-manager") == ["Running"]
    found = kube.get(RELEASE)
    assert found is not None
    assert found["status"]["status"] == "deployed"
    assert (found["status"]["chart"], found["status"]["version"]) == ("kueue", LOCK.version)


def test_a_release_without_a_node_for_its_pods_says_so() -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(namespace("kueue-system"))
    nowhere = release(controllerManager={"nodeSelector": {"pool": "none"}})
    del nowhere["spec"]["skipAwait"]
    kube.apply(nowhere)
    readiness = kube.wait_for(RELEASE)
    assert not readiness.ready
    assert readiness.reason.endswith("didn't match Pod's node affinity/selector.")
    kube.apply(changed(nowhere, True, "spec", "skipAwait"))
    assert kube.wait_for(RELEASE).ready


def test_a_change_of_values_makes_the_pods_anew() -> None:
    kube = with_kueue()
    (before,) = pods_of(kube, "kueue-controller-manager")
    kube.apply(release(controllerManager={"nodeSelector": {"pool": "none"}}))
    (after,) = pods_of(kube, "kueue-controller-manager")
    assert after.name != before.name
    found = kube.get(RELEASE)
    assert found is not None
    assert found["status"]["revision"] == 2


def test_the_charts_objects_are_the_releases_own() -> None:
    assert with_kueue().inventory() == {
        "Namespace": ["kueue-system", "llm"],
        "Release": ["kueue-system/kueue"],
    }
    account = Ref(
        api_version="v1",
        kind="ServiceAccount",
        namespace="kueue-system",
        name="kueue-controller-manager",
    )
    assert with_kueue().get(account) is not None


def test_a_namespace_is_there_before_the_release_or_made_by_it() -> None:
    kube = MemoryKube({}, [cpu_node()])
    assert refusal(kube, release()) == 'namespaces "kueue-system" not found'
    kube.apply(changed(release(), True, "spec", "createNamespace"))
    assert kube.readiness(RELEASE).ready


def test_an_older_release_serves_only_the_versions_of_its_time() -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(namespace("kueue-system"))
    older = configuration(apiVersion="config.kueue.x-k8s.io/v1beta1")
    kube.apply(release("0.10.0", older))
    assert refusal(kube, flavor()).endswith("is served in version kueue.x-k8s.io/v1beta1")
    kube.apply(changed(flavor(), "kueue.x-k8s.io/v1beta1", "apiVersion"))


def test_queues_of_the_older_version_work_with_a_newer_release() -> None:
    kube = scenario()
    old = changed(cluster_queue("old"), "kueue.x-k8s.io/v1beta1", "apiVersion")
    kube.apply(changed(old, "team", "spec", "cohort"))
    kube.apply(local_queue("old", "old"))
    kube.apply(server(1, queue="old"))
    assert phases(kube, "tgi") == ["Running"]


def test_a_release_with_queues_would_never_be_gone() -> None:
    kube = scenario()
    with pytest.raises(
        KubeError, match=r"ClusterQueue cluster-queue away, as Kueue's manager does$"
    ):
        kube.delete(RELEASE)


def test_a_release_takes_its_definitions_and_their_objects_along() -> None:
    kube = scenario()
    for kind, name in (("ClusterQueue", "cluster-queue"), ("ResourceFlavor", "l4")):
        kube.delete(kueue_ref(kind, name))
    kube.delete(RELEASE)
    assert kube.inventory() == {
        "Namespace": ["kueue-system", "llm"],
        "PriorityClass": ["default", "high", "low"],
    }
    assert kube.pods() == []
    assert refusal(kube, local_queue()).endswith("the Helm chart kueue brings it")


@pytest.mark.parametrize("waits", [{"skipAwait": False}, {"atomic": True}])
def test_a_release_that_helm_waits_for_would_never_be_gone(waits: dict[str, bool]) -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(make("Namespace", "kueue-system"))
    given = release()
    given["spec"] |= waits
    kube.apply(given)
    with pytest.raises(KubeError, match=r"kueue-batch-admin-role.*nearest: skipAwait"):
        kube.delete(RELEASE)


def test_a_release_whose_roles_are_all_its_own_is_gone_however_helm_waits() -> None:
    kube = MemoryKube({}, [cpu_node()], ray_addon=False)
    kube.apply(make("Namespace", "ray"))
    kube.apply(kuberay())
    kube.delete(RAY_RELEASE)
    assert kube.get(RAY_RELEASE) is None


def test_pods_that_a_queue_admitted_would_hang_without_kueue() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.set_nodes([])
    with pytest.raises(
        KubeError, match=r"cannot go: nobody would take the finalizer of Pod llm/tgi"
    ):
        kube.delete(SERVER_REF)
    kube.set_nodes([cpu_node(), *l4_nodes()])
    kube.delete(SERVER_REF)


def test_a_release_is_its_inputs_in_another_shape() -> None:
    inputs = {"name": "kueue", "namespace": "n", "chart": "c", "version": "1", "values": {"a": 1}}
    assert release_inputs(release_manifest(inputs)) == inputs


def test_without_kueue_a_deployment_starts_though_it_names_a_queue() -> None:
    kube = MemoryKube({}, l4_nodes())
    kube.apply(namespace(NAMESPACE))
    kube.apply(priority("high", 30))
    kube.apply(server(1))
    assert kube.readiness(SERVER_REF).ready


@pytest.mark.parametrize(
    ("value", "path", "ending"),
    [
        ("kueu", ("spec", "chart"), '"kueu" is no chart that the sandbox knows; nearest: kueue'),
        ("kueue", ("spec", "chart"), "nearest: oci://registry.k8s.io/kueue/charts/kueue"),
        (
            "0.19",
            ("spec", "version"),
            "is no version of kueue that the lock knows; nearest: 0.19.2",
        ),
        ({"x": 1}, ("spec", "values", "managerconfig"), "ignores it; nearest: managerConfig"),
        ({"x": 1}, ("spec", "values", "controllerManager"), "nearest: nodeSelector"),
    ],
)
def test_a_release_is_refused_with_the_nearest(
    value: Any, path: tuple[str | int, ...], ending: str
) -> None:
    if path[-1] == "controllerManager":
        value = {"nodeselector": {}}
    assert refused(changed(release(), value, *path)).endswith(ending)


@pytest.mark.parametrize(
    ("config", "ending"),
    [
        (configuration(integration={}), '"integration"; nearest: integrations'),
        (configuration(integrations={"frameworks": ["pods"]}), "of Kueue; nearest: pod"),
        (
            configuration(integrations={"podOptions": {}}),
            "nearest: externalFrameworks, frameworks, labelKeysToCopy",
        ),
        (configuration(managedJobsNamespaceSelector={}), 'match the "kube-system" namespace'),
        (configuration(apiVersion="config.kueue.x-k8s.io/v1"), "config.kueue.x-k8s.io/v1beta2"),
        ("- 1", "is not a YAML mapping"),
    ],
)
def test_a_configuration_that_kueue_would_not_start_with_is_refused(
    config: str, ending: str
) -> None:
    assert refused(release(config=config)).endswith(ending)


def test_options_that_a_release_reads_no_more_are_refused() -> None:
    config = configuration(
        apiVersion="config.kueue.x-k8s.io/v1beta1",
        integrations={"frameworks": ["pod"], "podOptions": {"podSelector": {}}},
    )
    assert refused(release(config=config)).endswith("nearest: managedJobsNamespaceSelector")


def test_an_old_release_takes_only_the_pods_that_its_options_select() -> None:
    kube = MemoryKube({}, [cpu_node(), *l4_nodes()])
    selector = {"matchExpressions": [{"key": "kueue-job", "operator": "In", "values": ["yes"]}]}
    config = configuration(
        apiVersion="config.kueue.x-k8s.io/v1beta1",
        integrations={"frameworks": ["pod"], "podOptions": {"podSelector": selector}},
    )
    for manifest in (
        namespace("kueue-system"),
        namespace(NAMESPACE),
        release("0.10.0", config),
        priority("high", 30),
        server(1),
    ):
        kube.apply(manifest)
    assert phases(kube, "tgi") == ["Running"]


def test_with_the_operators_chart_ray_clusters_are_served() -> None:
    kube = MemoryKube({}, [cpu_node()], ray_addon=False)
    text = refusal(kube, ray_cluster())
    assert text.endswith(
        "the cluster's Ray operator add-on or the Helm chart kuberay-operator brings it"
    )
    kube.apply(namespace("ray"))
    kube.apply(kuberay())
    kube.apply(ray_cluster())
    assert len(pods_of(kube, "ray-")) == 9


def test_the_operator_and_the_add_on_are_never_both_there() -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(namespace("ray"))
    assert refusal(kube, kuberay()).endswith("nearest: one of them, never both")


def test_ray_clusters_outlive_their_operator_and_say_that_it_is_gone() -> None:
    kube = MemoryKube({}, [cpu_node()], ray_addon=False)
    kube.apply(namespace("ray"))
    kube.apply(kuberay())
    kube.apply(ray_cluster())
    kube.delete(RAY_RELEASE)
    assert kube.get(ray_ref()) is not None
    assert kube.health(ray_ref()).reason.startswith("no Ray operator runs")


def test_a_value_that_the_operators_chart_has_not_is_refused() -> None:
    assert refused(kuberay(nodeselector={})).endswith("nearest: nodeSelector")


@pytest.mark.parametrize("operator", Operator)
def test_a_controller_asks_for_what_the_catalog_has(operator: Operator) -> None:
    component = FACTS.component(operator)
    assert component.chart is not None
    assert component.chart.controller is not None
    chart = CHARTS[component.chart.name.rpartition("/")[2]]
    installed = {
        "metadata": {"name": "it", "namespace": "of"},
        "spec": {"version": component.version},
    }
    (spec,) = (
        it["spec"]["template"]["spec"]
        for it in chart.objects(installed)
        if it["kind"] == "Deployment"
    )
    wanted = requests_of(spec)
    assert wanted["cpu"] * 1000 == component.chart.controller.cpu_millicores
    assert wanted["memory"] == component.chart.controller.memory_mib * 2**20
