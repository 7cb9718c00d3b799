"""Models, and what they take of memory: those that MaxText trains, of a chip's, and those that a
server may serve, of a GPU's, with what is kept of each token."""

from pydantic import PositiveFloat, PositiveInt

from catalog.table import Fact, Table


class TransformerShape(Fact):
    """A decoder with gated MLPs, and an output layer that shares no weights with the input."""

    width: PositiveInt
    heads: PositiveInt
    kv_heads: PositiveInt
    head_width: PositiveInt
    mlp: PositiveInt
    layers: PositiveInt
    vocabulary: PositiveInt

    @property
    def parameters(self) -> int:
        attention = 2 * self.width * self.head_width * (self.heads + self.kv_heads)
        layer = attention + 3 * self.width * self.mlp + 2 * self.width
        return 2 * self.vocabulary * self.width + self.layers * layer + self.width

    def flops(self, sequences: float, tokens: int) -> float:
        """Of a step, forward and back, with attention to the tokens before alone, as MaxText counts
        them (0.2.1, utils/maxtext_utils.py, calculate_tflops_training_per_device)."""
        attention = 2 * self.width * self.head_width * (self.heads + self.kv_heads)
        weights = self.layers * (attention + 3 * self.width * self.mlp)
        weights += self.vocabulary * self.width
        scores = self.layers * tokens * self.heads * self.head_width
        return 6 * sequences * tokens * (weights + scores)


class MaxTextTable(Table):
    """`state_bytes` a parameter in a chip's memory, `checkpoint_bytes` in a checkpoint; `hbm_gib`
    by a chip's generation."""

    state_bytes: PositiveInt
    checkpoint_bytes: PositiveInt
    activation_bytes: PositiveInt
    hbm_gib: dict[str, PositiveFloat]
    models: dict[str, TransformerShape]

    def usable(self, generation: str, memory_gib: int) -> float:
        """GiB of a chip that a program can have, as a compiler says it, where one was asked."""
        return self.hbm_gib.get(generation, memory_gib)

    def state(self, model: str, shards: int) -> int:
        """Bytes a chip of weights, optimizer and gradients, cut over `shards` chips."""
        return self.models[model].parameters * self.state_bytes // shards

    def activations(self, model: str, batch: int, tokens: int) -> int:
        """Bytes a chip of each layer's input, which every way of rematerialization keeps.

        An estimate of ours, with what a single layer and the logits need at a time left out: a
        compilation for v6e of llama3-70b on 32 chips, two sequences of 4096 tokens a chip, counted
        50.0 GiB, of which this and the state are 42.9.
        """
        shape = self.models[model]
        return shape.layers * batch * tokens * shape.width * self.activation_bytes

    def checkpoint(self, model: str) -> int:
        """Bytes of one checkpoint."""
        return self.models[model].parameters * self.checkpoint_bytes


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
    vocabulary: PositiveInt | None = None
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
