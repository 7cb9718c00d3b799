"""What trainings on GPUs keep of a model, in memory and in checkpoints."""

from pydantic import PositiveFloat, PositiveInt

from .table import Fact, Table, load_table


class VerlFacts(Fact):
    """Bytes a parameter over all GPUs: while it trains, and beside vLLM while it generates."""

    sharded_bytes: PositiveInt
    rollout_bytes: PositiveInt
    checkpoint_bytes: PositiveInt
    source: str


class NemoRlRecipe(Fact):
    """What a recipe sets and a job does not. `tensor` is that of generation."""

    tokens: PositiveInt
    micro_batch: PositiveInt
    gpu_memory_utilization: PositiveFloat
    tensor: PositiveInt


class NemoRlFacts(Fact):
    """Bytes a parameter: over the GPUs of one copy of the model, and over all of them. Of each
    number of its input a layer keeps `layer_whole` bytes, and `layer_cut` over those that share
    it."""

    copy_bytes: PositiveInt
    sharded_bytes: PositiveInt
    checkpoint_bytes: PositiveInt
    source: str
    layer_whole: PositiveInt
    layer_cut: PositiveInt
    layer_source: str
    recipes: dict[str, NemoRlRecipe]


class FineTuneFacts(Fact):
    """Bytes a parameter over all GPUs, and the sequences of a GPU's batch."""

    sharded_bytes: PositiveInt
    tokens: PositiveInt
    batch: PositiveInt
    source: str


class GpuTrainingTable(Table):
    """Each framework's."""

    verl: VerlFacts
    nemo_rl: NemoRlFacts
    fine_tune: FineTuneFacts


def gpu_trainings() -> GpuTrainingTable:
    return load_table(GpuTrainingTable, "trainings")
