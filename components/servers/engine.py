"""What every engine of a model server is told, and what is known of it. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# Every engine is told to listen here.
PORT = 8000
# Of the seconds that a pod has to end: until nobody sends to it any more, for the answers that it
# is at, and for the engine's own processes to go.
LEAVE_S = 10
DRAIN_S = 45
GRACE_S = 60
# A container has it done before it is told to end; Kubernetes counts it as part of the grace.
LEAVES_FIRST = {"preStop": {"sleep": {"seconds": LEAVE_S}}}


class InferenceEngine(StrEnum):
    """The program that serves the model."""

    TGI = "tgi"
    VLLM = "vllm"


@dataclass(frozen=True, kw_only=True)
class ServedModel:
    """`source` is where the engine finds it: its name on Hugging Face, or a folder in the pod.

    Clients ask for it by its `name`. `revision` is a commit or branch on Hugging Face, by default
    the newest. A shard is on each of so many GPUs. `max_model_len` is the
    most tokens of a prompt and its answer, `gpu_memory_utilization` vLLM's part of each GPU's
    memory; without them the engine decides. Text Generation Inference decides in any case.
    """

    name: str
    source: str
    shards: int
    revision: str | None = None
    max_model_len: int | None = None
    gpu_memory_utilization: float | None = None


@dataclass(frozen=True, kw_only=True)
class EngineModule:
    """A Python module that the engine imports: `text` as a file `name` in its Python path."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Engine:
    """`label` is GKE's name for it. `gauge` counts the requests that wait in a server; a gauge is
    the one kind of metric that GKE scales by. `command` is the container's; empty where it is the
    image's own. `cache_dir` is what a container keeps when it starts again in its pod. `pod` and
    `container` are what those have besides. `key_variable` is the environment variable of its API
    key, `module` what it imports."""

    label: str
    gauge: str
    command: Callable[[ServedModel], list[str]]
    environment: Callable[[ServedModel], dict[str, str]]
    key_variable: str
    module: EngineModule | None = None
    cache_dir: str | None = None
    pod: Mapping[str, Any] = field(default_factory=dict)
    container: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metric(self) -> str:
        """The gauge's name for an autoscaler, of letters and hyphens."""
        return self.gauge.replace(":", "-").replace("_", "-")
