"""Which paths of vLLM's server its clients reach, by the module as the pod imports it."""

import asyncio
from collections.abc import Coroutine
from contextlib import closing
from typing import Any

import pytest

from components.servers.engine import InferenceEngine
from components.servers.manifest import Rollout, deployment_spec
from tests.unit.test_inference_engines import VLLM, environment

# The routes of vLLM 0.31.0 that no model answers on: vllm-project/vllm v0.31.0
# vllm/entrypoints/serve (elastic_ep, fault_tolerance, tokenize, instrumentator, profile, lora,
# sagemaker), what `vllm.entrypoints.serve.register_vllm_dev_api_routers` adds, and FastAPI's own.
OTHERS = (
    *("/scale_elastic_ep", "/is_scaling_elastic_ep", "/fault_tolerance/apply"),
    *("/tokenize", "/detokenize", "/tokenizer_info", "/load", "/version", "/kv_event_sources"),
    *("/start_profile", "/stop_profile", "/v1/load_lora_adapter", "/v1/unload_lora_adapter"),
    *("/ping", "/invocations", "/generative_scoring", "/pooling", "/classify", "/score", "/rerank"),
    *("/server_info", "/reset_prefix_cache", "/reset_mm_cache", "/reset_encoder_cache"),
    *("/collective_rpc", "/sleep", "/wake_up", "/is_sleeping", "/release_kv_cache_memory"),
    *("/pause", "/resume", "/is_paused", "/abort_requests", "/init_weight_transfer_engine"),
    *("/start_weight_update", "/update_weights", "/finish_weight_update", "/get_world_size"),
    *("/docs", "/redoc", "/openapi.json", "/", "//v1/models", "/health/../pause", "/metrics/x"),
)
# As vLLM 0.31.0 guards them by its key (vllm/entrypoints/serve/middleware/authenticate.py).
GUARDED = ("/v1", "/v2", "/inference", "/cohere")


def module() -> dict[str, Any]:
    """What `--middleware` names, from where the pod's Python looks for it."""
    template = deployment_spec(VLLM, replicas=1, rollout=Rollout.SURGE)["template"]
    spec = template["spec"]
    (container,) = spec["containers"]
    (option,) = [it for it in container["command"] if it.startswith("--middleware=")]
    name, _, _ = option.removeprefix("--middleware=").rpartition(".")
    (mount,) = [it for it in container["volumeMounts"] if it["name"] == "module"]
    assert environment(VLLM)["PYTHONPATH"] == mount["mountPath"]
    (volume,) = [it for it in spec["volumes"] if it["name"] == "module"]
    (item,) = volume["downwardAPI"]["items"]
    assert item["path"] == f"{name}.py"
    key = item["fieldRef"]["fieldPath"].removeprefix("metadata.annotations['").removesuffix("']")
    found: dict[str, Any] = {}
    exec(compile(template["metadata"]["annotations"][key], item["path"], "exec"), found)
    return found


def run(call: Coroutine[Any, Any, None]) -> None:
    """Leaves the thread the loop that Pulumi's tests take."""
    with closing(asyncio.new_event_loop()) as loop:
        loop.run_until_complete(call)


def sent(path: str, kind: str = "http") -> list[dict[str, Any]]:
    """What a client gets of a server that answers every path that reaches it."""
    messages: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    async def receive() -> dict[str, Any]:
        return {}

    async def server(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "answer", "path": scope.get("path")})

    guarded = module()["AnsweringPaths"](server)
    run(guarded({"type": kind, "path": path}, receive, send))
    return messages


@pytest.mark.parametrize("path", OTHERS)
def test_a_path_that_stops_the_server_changes_it_or_tells_of_it_is_not_there(path: str) -> None:
    begun, body = sent(path)
    assert (begun["type"], begun["status"]) == ("http.response.start", 404)
    assert dict(begun["headers"])[b"content-length"] == b"%d" % len(body["body"])


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/models", "/v1/chat/completions", "/v1/completions", "/v1/responses/a1/cancel"),
        *("/v1/embeddings", "/health", "/metrics"),
    ],
)
def test_a_path_that_answers_is_vllms(path: str) -> None:
    assert sent(path) == [{"type": "answer", "path": path}]


def test_a_websocket_opens_where_one_answers_alone() -> None:
    assert sent("/v1/realtime", "websocket") == [{"type": "answer", "path": "/v1/realtime"}]
    assert sent("/pause", "websocket") == [{"type": "websocket.close", "code": 1008}]


def test_the_server_begins_and_ends_as_without_it() -> None:
    messages: list[Any] = []

    async def server(scope: Any, receive: Any, send: Any) -> None:
        messages.append(scope)

    run(module()["AnsweringPaths"](server)({"type": "lifespan"}, None, None))
    assert messages == [{"type": "lifespan"}]


def test_the_key_is_asked_for_on_every_path_but_those_of_probes_and_metrics() -> None:
    found = module()
    open_to_all = {it for it in found["ANSWERING"] if not it.startswith(GUARDED)}
    assert open_to_all == {"/health", "/metrics", "/metrics/"}
    assert found["ANSWERS"].startswith(GUARDED)


def test_an_image_cannot_turn_the_development_paths_on() -> None:
    assert environment(VLLM)["VLLM_SERVER_DEV_MODE"] == "0"
    assert VLLM.engine is InferenceEngine.VLLM
