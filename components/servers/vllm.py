"""vLLM's OpenAI server as an engine. Pure.

Sources, read 2026-11-22 in vllm-project/vllm at v0.31.0 (db9527a46): options in
vllm/engine/arg_utils.py and vllm/utils/argparse_utils.py, /health in
vllm/entrypoints/serve/instrumentator/health.py, the gauge in vllm/v1/metrics/loggers.py, variables
in vllm/envs.py; read 2026-11-27, paths in vllm/entrypoints/launchers/api_server/routers.py, and
`--middleware` in vllm/entrypoints/serve/middleware/register.py.
"""

from pathlib import Path

from .engine import (
    DRAIN_S,
    GRACE_S,
    LEAVES_FIRST,
    PORT,
    Engine,
    EngineModule,
    ServedModel,
)

_CACHE = "/cache"
_PATHS = Path(__file__).with_name("answering_paths.py")


def _command(model: ServedModel) -> list[str]:
    """Its subcommand takes the model by its place; `--model` is deprecated there."""
    options = {
        "served-model-name": model.name,
        "revision": model.revision,
        "tokenizer-revision": model.revision,
        "port": PORT,
        "tensor-parallel-size": model.shards,
        "max-model-len": model.max_model_len,
        "gpu-memory-utilization": model.gpu_memory_utilization,
        # Without it every request that runs is dropped. Images have it since 0.18
        # (vllm-project/vllm pull request #36666, vllm/config/vllm.py; llm-d/llm-d issue #927).
        "shutdown-timeout": DRAIN_S,
        # Paths that stop the server or change it are on the port that answers, and an API key
        # guards none of them.
        "middleware": f"{_PATHS.stem}.AnsweringPaths",
    }
    given = [f"--{name}={value}" for name, value in options.items() if value is not None]
    return ["vllm", "serve", model.source, *given]


def _environment(model: ServedModel) -> dict[str, str]:
    del model
    return {
        "HF_HOME": f"{_CACHE}/huggingface",
        # What was compiled for the model.
        "VLLM_CACHE_ROOT": f"{_CACHE}/vllm",
        # By default it tells its makers what it runs on, and which kind of model.
        "VLLM_NO_USAGE_STATS": "1",
        # An image may have it on, and with it a path that runs any method of the engine.
        "VLLM_SERVER_DEV_MODE": "0",
    }


VLLM = Engine(
    label="vllm",
    gauge="vllm:num_requests_waiting",
    command=_command,
    environment=_environment,
    key_variable="VLLM_API_KEY",
    module=EngineModule(name=_PATHS.name, text=_PATHS.read_text()),
    cache_dir=_CACHE,
    # Of a Service named vllm Kubernetes would make VLLM_PORT, an address where vLLM expects a
    # number, and vLLM would end.
    pod={"enableServiceLinks": False, "terminationGracePeriodSeconds": GRACE_S},
    # It refuses new requests as soon as it is told to end.
    container={"lifecycle": LEAVES_FIRST},
)
