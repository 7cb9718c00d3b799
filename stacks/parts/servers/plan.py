"""What follows from a server of a model. No Pulumi import."""

from collections.abc import Mapping
from dataclasses import dataclass

from catalog import Catalog
from components.servers.engine import InferenceEngine
from stacks.parts.images.plan import ImageUse
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.servers.config import ModelServer
from stacks.stack import Stack, only


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
    def image_use(self) -> ImageUse:
        return ImageUse(field=f"{self.field}.image", reference=self.image, pools=[self.pool])

    @property
    def pod(self) -> Amounts:
        return Amounts.of_pod(self.config.requests, self.config.gpus)


def planned_servers(
    stack: Stack, pools: Mapping[str, PlannedPool], facts: Catalog
) -> dict[str, PlannedServer]:
    with_gpus = {name: it for name, it in pools.items() if it.kind == "gpu"}
    return {
        name: PlannedServer(
            name=name, config=it, pool=pools[it.pool or only(with_gpus)], facts=facts
        )
        for name, it in stack.servers.items()
    }
