"""Model servers of either engine in Kueue's scenario: rolled out, with a bucket.

It cannot prove that an engine starts: nothing runs in here.
"""

from dataclasses import replace
from typing import Any

import pytest

from components.servers.engine import InferenceEngine
from components.servers.manifest import Rollout, ServerPod, deployment_spec, service_spec
from kube.objects import Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.inference_samples import FOLDER, TGI
from tests.unit.kueue_samples import NAMESPACE, in_llm, phases, pods_of, scenario
from tests.unit.memory_kube_samples import make

ENGINES = list(InferenceEngine)
CHAT = Ref(api_version="apps/v1", kind="Deployment", namespace=NAMESPACE, name="chat")


def deployment(pod: ServerPod, replicas: int) -> dict[str, Any]:
    return in_llm(
        make(
            "Deployment",
            "chat",
            "apps/v1",
            spec=deployment_spec(pod, replicas=replicas, rollout=Rollout.ONE_BY_ONE),
        )
    )


def served(pod: ServerPod, replicas: int) -> MemoryKube:
    kube = scenario()
    token = {pod.secret_key: "dG9rZW4="}
    kube.apply(in_llm(make("Secret", "tokens", type="Opaque", data=token)))
    kube.apply(in_llm(make("ServiceAccount", "reader")))
    kube.apply(deployment(pod, replicas))
    return kube


@pytest.mark.parametrize("engine", ENGINES)
def test_on_full_nodes_another_model_is_rolled_out_all_the_same(
    engine: InferenceEngine,
) -> None:
    pod = replace(TGI, engine=engine)
    kube = served(pod, 3)
    other = replace(pod.model, name="a/b", source="a/b")
    kube.apply(deployment(replace(pod, model=other), 3))
    assert phases(kube, "chat") == ["Running"] * 3
    assert kube.readiness(CHAT).ready


@pytest.mark.parametrize("engine", ENGINES)
def test_a_service_is_ready_when_its_servers_are(engine: InferenceEngine) -> None:
    kube = served(replace(TGI, engine=engine), 1)
    service = Ref.of(kube.apply(in_llm(make("Service", "chat", spec=service_spec("chat")))))
    assert kube.readiness(service).ready


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_mounts_its_bucket_by_its_annotations(engine: InferenceEngine) -> None:
    server = replace(TGI, engine=engine, folder=FOLDER, secret_name=None)
    assert phases(served(server, 1), "chat") == ["Running"]
    without = replace(server, folder=replace(FOLDER, annotations={}))
    (pod,) = pods_of(served(without, 1), "chat")
    assert "failed to find the sidecar container" in pod.reason
