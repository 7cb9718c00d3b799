"""A server of a model. No Pulumi import."""

from components.inference_engine import InferenceEngine
from stacks.blocks.inference_server import ServerOptions
from stacks.types import MemoryShare, ModelName, PoolKey, Tokens


class ModelServer(ServerOptions, frozen=True):
    """On nodes of `pool`, by default the only one with GPUs. vLLM takes `max_model_len`, the most
    tokens of a request and its answer, and `gpu_memory_utilization`, its part of each GPU."""

    engine: InferenceEngine = InferenceEngine.VLLM
    model: ModelName = "google/gemma-2-9b-it"
    pool: PoolKey | None = None
    max_model_len: Tokens | None = None
    gpu_memory_utilization: MemoryShare | None = None
