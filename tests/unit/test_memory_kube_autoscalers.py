"""HorizontalPodAutoscaler and what it is scaled by: ranges, targets, metrics that are read.

It cannot prove that anything scales: there are no metrics in here.
"""

from typing import Any

import pytest

from components.servers.engine import InferenceEngine
from components.servers.manifest import metric_spec
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import NAMESPACE, changed, make, phases, refused, scenario, server
from tests.unit.memory_kube_samples import refusal


def autoscaler(name: str = "tgi", **spec: Any) -> dict[str, Any]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    base = {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 3}
    manifest = make("HorizontalPodAutoscaler", "tgi", "autoscaling/v2", spec={**base, **spec})
    return changed(manifest, NAMESPACE, "metadata", "namespace")


def test_an_autoscaler_owns_the_replicas_of_its_target() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.apply(autoscaler())
    assert phases(kube, "tgi") == ["Running"] * 2
    without = server(1)
    del without["spec"]["replicas"]
    kube.apply(without)
    assert phases(kube, "tgi") == ["Running"] * 2


@pytest.mark.parametrize(
    ("fields", "ending"),
    [
        ({"maxReplicas": 1}, "1 must be greater than or equal to minReplicas 2"),
        ({"minReplicas": 0}, "0 must be greater than or equal to 1"),
    ],
)
def test_an_autoscaler_has_a_range(fields: dict[str, Any], ending: str) -> None:
    assert refused(autoscaler(**fields)).endswith(ending)


def test_an_autoscaler_needs_its_target() -> None:
    text = refusal(scenario(), autoscaler("gone"))
    assert text.endswith("scaleTargetRef Deployment llm/gone not found")


def monitoring(**endpoint: Any) -> dict[str, Any]:
    spec = {"selector": {"matchLabels": {"app": "tgi"}}, "endpoints": [endpoint]}
    return make("PodMonitoring", "tgi", "monitoring.googleapis.com/v1", spec=spec)


def test_a_pod_monitoring_names_a_port() -> None:
    MemoryKube({}, []).apply(monitoring(port="http", interval="15s"))
    assert refused(monitoring(path="/metrics")).endswith("endpoints[0].port: required value")
    assert refused(monitoring(prot=8000)).endswith("the nearest known one is port")
    assert refused(monitoring(port=0, interval="15s")).endswith("port: 0 is no port")


def gauges(spec: dict[str, Any]) -> dict[str, Any]:
    return make("AutoscalingMetric", "chat", "autoscaling.gke.io/v1beta1", spec=spec)


@pytest.mark.parametrize("engine", list(InferenceEngine))
def test_gke_reads_the_gauge_of_either_engine(engine: InferenceEngine) -> None:
    kube = MemoryKube({}, [])
    kube.apply(gauges(metric_spec("chat", engine)))
    assert kube.inventory()["AutoscalingMetric"] == ["default/chat"]


def test_only_gauges_are_read() -> None:
    spec = metric_spec("chat", InferenceEngine.VLLM)
    source = spec["metrics"][0]["pod"]["containers"][0]
    source["metrics"] = [{"counter": {"name": "requests"}}]
    assert "metrics[0].gauge: required value" in refused(gauges(spec))
