"""Models that a server may serve: what their weights, and what is kept of each token, take of a
GPU's memory."""

from pydantic import PositiveFloat, PositiveInt

from catalog.table import Fact, Table


class ServedModelFacts(Fact):
    """A decoder. `full_layers` are those that look at every token before, which others do only
    within a window. `weight_bytes` is given where weights are no 16-bit numbers. `positions` is the
    most tokens that it can tell apart. An `open` one is anybody's, without a token."""

    open: bool = False
    layers: PositiveInt
    full_layers: PositiveInt
    heads: PositiveInt
    kv_heads: PositiveInt
    head_width: PositiveInt
    hidden: PositiveInt
    parameters: PositiveInt
    weight_bytes: PositiveInt | None = None
    positions: PositiveInt
    source: str

    def splits_into(self, parts: int) -> bool:
        """Whether each part has as many heads, and whole key-value heads or copies of one."""
        copies = max(self.kv_heads, parts) % min(self.kv_heads, parts) == 0
        return self.heads % parts == 0 and copies


class ServedModelTable(Table):
    """`vllm_memory_utilization` is vLLM's part of each GPU's memory where it is not told, and
    `vllm_block` the tokens that it gives room to at once."""

    vllm_memory_utilization: PositiveFloat
    vllm_block: PositiveInt
    number_bytes: PositiveInt
    models: dict[str, ServedModelFacts]

    def weights(self, model: str, parts: int) -> float:
        """Bytes a GPU of the weights, split into so many parts."""
        facts = self.models[model]
        given = facts.weight_bytes
        return (facts.parameters * self.number_bytes if given is None else given) / parts

    def token(self, model: str, parts: int) -> int:
        """Bytes a GPU that one more token of a long request takes: a key and a value in each layer
        with full attention."""
        facts = self.models[model]
        heads = max(1, facts.kv_heads // parts)
        return 2 * facts.full_layers * heads * facts.head_width * self.number_bytes
