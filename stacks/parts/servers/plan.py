"""What follows from a server of a model. No Pulumi import."""

from dataclasses import dataclass

from catalog import Catalog
from components.inference_engine import InferenceEngine
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.servers.config import ModelServer


@dataclass(frozen=True, kw_only=True)
class PlannedServer:
    """A server with the pool that it runs on."""

    name: str
    config: ModelServer
    pool: PlannedPool
    facts: Catalog

    @property
    def field(self) -> str:
        return f"servers.{self.name}"

    @property
    def image(self) -> str:
        lock = "vllm" if self.config.engine is InferenceEngine.VLLM else "tgi"
        return self.config.image or self.facts.image(lock).reference

    @property
    def pod(self) -> Amounts:
        return Amounts.of_pod(self.config.requests, self.config.gpus)
