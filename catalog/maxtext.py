"""Models that MaxText trains: their size, and the least memory that a chip needs for its share."""

from pydantic import PositiveInt

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


class MaxTextTable(Table):
    """`state_bytes` a parameter in a chip's memory, `checkpoint_bytes` in a checkpoint."""

    state_bytes: PositiveInt
    checkpoint_bytes: PositiveInt
    activation_bytes: PositiveInt
    models: dict[str, TransformerShape]

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
