"""A server of a model. No Pulumi import."""

from components.inference_engine import InferenceEngine
from stacks.parts.servers.options import ServerOptions
from stacks.types import MemoryShare, ModelName, PoolKey, Tokens


class ModelServer(ServerOptions, frozen=True):
    """Servers of one model."""

    engine: InferenceEngine = InferenceEngine.VLLM
    """Which program serves the model."""
    model: ModelName = "google/gemma-2-9b-it"
    """Model on Hugging Face."""
    pool: PoolKey | None = None
    """Pool whose nodes the servers run on; by default the only one with GPUs."""
    max_model_len: Tokens | None = None
    """Most tokens of a request and its answer; only for vLLM."""
    gpu_memory_utilization: MemoryShare | None = None
    """vLLM's part of each GPU's memory; only for vLLM."""
