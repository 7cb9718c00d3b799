"""What each engine is told; that it does so is for a GPU."""

from dataclasses import replace
from typing import Any

from components.servers.engine import PORT, InferenceEngine
from components.servers.manifest import Rollout, deployment_spec, metric_spec
from stacks.config import validate
from stacks.parts.servers.advice import links
from tests.parts.samples import SERVE
from tests.programs import WITH_ALL_SECRETS
from tests.unit.inference_samples import TGI

VLLM = replace(TGI, engine=InferenceEngine.VLLM, image="vllm:1")


def pod_spec(pod: Any) -> dict[str, Any]:
    return deployment_spec(pod, replicas=1, rollout=Rollout.SURGE)["template"]["spec"]


def container(pod: Any, **model: Any) -> dict[str, Any]:
    made = replace(pod, model=replace(pod.model, **model))
    return pod_spec(made)["containers"][0]


def environment(pod: Any, **model: Any) -> dict[str, str]:
    return {it["name"]: it["value"] for it in container(pod, **model)["env"] if "value" in it}


# Text Generation Inference


def test_tgis_image_may_be_hugging_faces_or_googles() -> None:
    given = environment(TGI)
    assert given["PORT"] == given["AIP_HTTP_PORT"] == str(PORT)
    assert "command" not in container(TGI)


REVISION = "11c9b309abf73637e4b6f9a3fa1e92e615547819"


def test_tgi_takes_the_models_newest_or_the_revision_that_is_given() -> None:
    assert environment(TGI, revision=REVISION)["REVISION"] == REVISION
    assert "REVISION" not in environment(TGI)


def test_tgi_ends_the_requests_that_it_is_at_before_its_pod_is_killed() -> None:
    spec, leaving = pod_spec(TGI), container(TGI)["lifecycle"]["preStop"]["sleep"]["seconds"]
    told = int(environment(TGI)["GRACEFUL_TERMINATION_TIMEOUT"])
    assert leaving + told < spec["terminationGracePeriodSeconds"]


def test_what_tgi_downloads_outlives_a_container_and_not_the_pod() -> None:
    spec = pod_spec(TGI)
    (cache,) = [it for it in spec["volumes"] if it["name"] == "cache"]
    assert cache["emptyDir"] == {}
    (mount,) = [it for it in spec["containers"][0]["volumeMounts"] if it["name"] == "cache"]
    assert environment(TGI)["HF_HOME"] == mount["mountPath"]


def test_tgi_scales_by_the_length_of_its_queue() -> None:
    assert gauge(InferenceEngine.TGI) == ("tgi-queue-size", "tgi_queue_size")


# vLLM


def test_what_vllm_downloads_and_compiles_outlives_a_container_and_not_the_pod() -> None:
    spec = pod_spec(VLLM)
    (cache,) = [it for it in spec["volumes"] if it["name"] == "cache"]
    assert cache["emptyDir"] == {}
    (mount,) = [it for it in spec["containers"][0]["volumeMounts"] if it["name"] == "cache"]
    given = environment(VLLM)
    for variable in ("HF_HOME", "VLLM_CACHE_ROOT"):
        assert given[variable].startswith(f"{mount['mountPath']}/")


def test_a_service_named_vllm_does_not_stop_vllm() -> None:
    """Kubernetes would make VLLM_PORT of it, which vLLM takes for a number."""
    assert pod_spec(VLLM)["enableServiceLinks"] is False
    assert "enableServiceLinks" not in pod_spec(TGI)


def test_a_service_named_vllm_beside_pods_that_may_run_vllm_is_warned_of() -> None:
    (server,) = SERVE["servers"].values()
    plan = validate({**SERVE, "servers": {"vllm": server}}, secrets_set=WITH_ALL_SECRETS)
    (line,) = links(plan)
    assert line.startswith("servers.vllm: its Service gives each pod of its namespace")
    assert "jobs.tune cannot run vLLM; nearest: another name" in line
    assert not list(links(validate(SERVE, secrets_set=WITH_ALL_SECRETS)))


def test_vllm_ends_the_requests_that_it_is_at_before_its_pod_is_killed() -> None:
    spec, made = pod_spec(VLLM), container(VLLM)
    leaving = made["lifecycle"]["preStop"]["sleep"]["seconds"]
    (told,) = [it for it in made["command"] if it.startswith("--shutdown-timeout=")]
    assert leaving + int(told.partition("=")[2]) < spec["terminationGracePeriodSeconds"]


def test_vllm_tells_nobody_what_it_runs() -> None:
    assert environment(VLLM)["VLLM_NO_USAGE_STATS"] == "1"


def test_vllm_scales_by_the_requests_that_wait() -> None:
    assert gauge(InferenceEngine.VLLM) == ("vllm-num-requests-waiting", "vllm:num_requests_waiting")


def gauge(engine: InferenceEngine) -> tuple[str, str]:
    (source,) = metric_spec("chat", engine)["metrics"][0]["pod"]["containers"]
    found = source["metrics"][0]["gauge"]
    return found["name"], found["prometheusMetricName"]
