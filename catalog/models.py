"""Models, and what they take of memory: those that MaxText trains, of a chip's, and those that a
server may serve, of a GPU's, with what is kept of each token."""

from collections.abc import Mapping
from functools import cached_property
from math import ceil
from typing import Literal, NamedTuple

from pydantic import PositiveFloat, PositiveInt

from .table import Fact, Table

_GIB = 2**30
# Activations of a layer by MaxText's names.
SavedActivation = Literal["query_proj", "key_proj", "value_proj", "out_proj", "mlpwi_0", "mlpwi_1"]


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

    def saved_numbers(self, name: SavedActivation) -> int:
        """Numbers a token of one layer's activation."""
        keys = self.kv_heads * self.head_width
        return {
            "query_proj": self.heads * self.head_width,
            "key_proj": keys,
            "value_proj": keys,
            "out_proj": self.width,
            "mlpwi_0": self.mlp,
            "mlpwi_1": self.mlp,
        }[name]

    def flops(self, sequences: float, tokens: int) -> float:
        """Of a step, forward and back, with attention to the tokens before alone, as MaxText counts
        them (0.2.5, utils/maxtext_utils.py, calculate_tflops_training_per_device)."""
        attention = 2 * self.width * self.head_width * (self.heads + self.kv_heads)
        weights = self.layers * (attention + 3 * self.width * self.mlp)
        weights += self.vocabulary * self.width
        scores = self.layers * tokens * self.heads * self.head_width
        return 6 * sequences * tokens * (weights + scores)


class CompiledStep(Fact):
    """Memory that a compiler counted for one chip of a training step: a sample to judge estimates
    by. `shards` are the chips that hold one copy of the model between them."""

    model: str
    generation: str
    shards: PositiveInt
    batch: PositiveInt
    tokens: PositiveInt
    remat_policy: str = "full"
    gib: PositiveFloat
    source: str


class RefusedFlags(Fact):
    """Flags of libtpu that the MaxText of the version lock compiles nothing with on chips of these
    `generations` where all of them are "true" and `unless` is not "false"."""

    flags: tuple[str, ...]
    unless: str
    generations: tuple[str, ...]
    source: str

    def met_by(self, generation: str, given: Mapping[str, str]) -> bool:
        """Whether `given`, values by the names of flags, are refused on such chips."""
        if generation not in self.generations or given.get(self.unless) == "false":
            return False
        return all(given.get(it) == "true" for it in self.flags)


class ChipMemory(NamedTuple):
    """Bytes of one chip, by what they hold."""

    state: int
    inputs: int
    saved: int
    logits: int
    gradients: int

    @property
    def bytes(self) -> int:
        """Gradients take the memory of logits, which nothing reads any more when the last gradient
        is computed: the larger of the two counts."""
        return self.state + self.inputs + self.saved + max(self.logits, self.gradients)

    @property
    def parts(self) -> dict[str, int]:
        """The parts that add up to `bytes`, for messages."""
        larger = "logits" if self.logits > self.gradients else "gradients"
        saved = {"activations that remat_policy saves": self.saved} if self.saved else {}
        return {
            "weights and optimizer": self.state,
            "layers' inputs": self.inputs,
            **saved,
            larger: max(self.logits, self.gradients),
        }


class MaxTextTable(Table):
    """`state_bytes` a parameter of weights and optimizer, in a chip's memory and in a checkpoint;
    `saved` are activations by remat policy."""

    state_bytes: PositiveInt
    checkpoint_file_bytes: PositiveInt
    gradient_bytes: PositiveInt
    activation_bytes: PositiveInt
    logit_bytes: PositiveInt
    default_remat_policy: str
    saved: dict[str, tuple[SavedActivation, ...]]
    models: dict[str, TransformerShape]
    compiled: tuple[CompiledStep, ...]
    refused_flags: tuple[RefusedFlags, ...]

    def needs(
        self, model: str, *, shards: int, batch: int, tokens: int, remat_policy: str | None
    ) -> ChipMemory:
        """The least that one chip holds: weights and optimizer, cut over `shards` chips, and what
        the way back reads of `batch` sequences.

        A lower bound. Left out are copies in another precision (logits are bfloat16 and float32 in
        turn), what a single layer needs at a time, and what collectives buffer. Logits are the
        same for every cut: the tensor axis multiplies the sequences of a chip as much as it cuts
        the vocabulary.
        """
        shape = self.models[model]
        here = batch * tokens
        each = sum(map(shape.saved_numbers, self.saved[remat_policy or self.default_remat_policy]))
        return ChipMemory(
            state=shape.parameters * self.state_bytes // shards,
            inputs=shape.layers * here * shape.width * self.activation_bytes,
            saved=shape.layers * here * each * self.activation_bytes,
            logits=here * shape.vocabulary * self.logit_bytes,
            gradients=shape.parameters * self.gradient_bytes // shards,
        )

    @cached_property
    def margin(self) -> float:
        """The most that a compiler counted for one byte of such an estimate."""
        return max(
            it.gib
            * _GIB
            / self.needs(
                it.model,
                shards=it.shards,
                batch=it.batch,
                tokens=it.tokens,
                remat_policy=it.remat_policy,
            ).bytes
            for it in self.compiled
        )

    def checkpoint(self, model: str) -> int:
        """Bytes of one checkpoint."""
        return self.models[model].parameters * self.state_bytes

    def checkpoint_files(self, model: str, hosts: int) -> int:
        """Files that each of `hosts` writes of a checkpoint, at most all of them at once."""
        return ceil(self.checkpoint(model) / hosts / self.checkpoint_file_bytes)


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
