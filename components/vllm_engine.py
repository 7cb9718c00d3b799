"""vLLM's OpenAI server as an engine. Pure.

Sources, read 2026-11-22 in vllm-project/vllm at v0.31.0 (db9527a46): options in
vllm/engine/arg_utils.py and vllm/utils/argparse_utils.py, /health in
vllm/entrypoints/serve/instrumentator/health.py, the gauge in vllm/v1/metrics/loggers.py, variables
in vllm/envs.py.
"""

from components.inference_engine import PORT, Engine, ServedModel

_CACHE = "/cache"
# Of the time that a pod has to end: until nobody sends to it any more, and for what it is at.
_GRACE_S = 60
_LEAVE_S = 10
_DRAIN_S = 45


def _command(model: ServedModel) -> list[str]:
    """Its subcommand takes the model by its place; `--model` is deprecated there."""
    options = {
        "served-model-name": model.name,
        "port": PORT,
        "tensor-parallel-size": model.shards,
        "max-model-len": model.max_model_len,
        "gpu-memory-utilization": model.gpu_memory_utilization,
        # Without it every request that runs is dropped. Images have it since 0.18.
        "shutdown-timeout": _DRAIN_S,
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
    }


VLLM = Engine(
    label="vllm",
    gauge="vllm:num_requests_waiting",
    command=_command,
    environment=_environment,
    cache_dir=_CACHE,
    # Of a Service named vllm Kubernetes would make VLLM_PORT, an address where vLLM expects a
    # number, and vLLM would end.
    pod={"enableServiceLinks": False, "terminationGracePeriodSeconds": _GRACE_S},
    # It refuses new requests as soon as it is told to end.
    container={"lifecycle": {"preStop": {"sleep": {"seconds": _LEAVE_S}}}},
)
