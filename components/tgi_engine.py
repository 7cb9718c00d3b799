"""Text Generation Inference as an engine. Pure.

Sources, read 2026-11-21: environment, /health and metrics from launcher, router/src/server.rs and
backends/v3/src/queue.rs in huggingface/text-generation-inference (commit db931fcf of 2026-01-08).
"""

from components.inference_engine import PORT, Engine, ServedModel


def _environment(model: ServedModel) -> dict[str, str]:
    limits = {
        "MAX_TOTAL_TOKENS": model.max_model_len,
        "CUDA_MEMORY_FRACTION": model.gpu_memory_utilization,
    }
    return {
        "MODEL_ID": model.source,
        "NUM_SHARD": str(model.shards),
        "PORT": str(PORT),
        # In place of PORT for images that are built for Vertex AI, as Google's are.
        "AIP_HTTP_PORT": str(PORT),
        **{name: str(value) for name, value in limits.items() if value is not None},
    }


TGI = Engine(
    label="text-generation-inference",
    gauge="tgi_queue_size",
    command=lambda _: [],
    environment=_environment,
)
