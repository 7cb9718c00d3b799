"""Compositions: for each kind of stack a config model and a function that builds it.

The registry names modules, so that only what a stack uses is imported, and a config can be checked
without importing a cloud SDK.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stacks.blocks.cluster_stack import ClusterStack
    from stacks.plan import Plan


@dataclass(frozen=True)
class Kind:
    """`model` is in the config module; the build module has a `build` function."""

    config_module: str
    model: str
    build_module: str

    def config_class(self) -> "type[ClusterStack]":
        return getattr(import_module(self.config_module), self.model)

    def required_secrets(self) -> tuple[str, ...]:
        return import_module(self.config_module).REQUIRED_SECRETS


KINDS = {
    "lustre-training": Kind(
        "stacks.lustre_training_config", "LustreTraining", "stacks.lustre_training"
    ),
    "verl-training": Kind("stacks.verl_training_config", "VerlTraining", "stacks.verl_training"),
    "tpu-training": Kind("stacks.tpu_training_config", "TpuTraining", "stacks.tpu_training"),
    "checkpoint-training": Kind(
        "stacks.checkpoint_training_config", "CheckpointTraining", "stacks.checkpoint_training"
    ),
    "train-and-serve": Kind(
        "stacks.train_and_serve_config", "TrainAndServe", "stacks.train_and_serve"
    ),
    "dev": Kind("stacks.dev_config", "Dev", "stacks.dev"),
}


# Jobs whose model is given out to those who have accepted its licence.
_WANT_A_TOKEN = frozenset({"nemo-rl", "fine-tune"})


def required_secrets(raw: "Mapping[str, Any]") -> tuple[str, ...]:
    """The secrets without which a config is refused, as far as it can be told from `raw`."""
    kind = KINDS.get(str(raw.get("kind")))
    if kind is not None:
        return kind.required_secrets()
    jobs = raw.get("jobs")
    types = {
        it.get("type")
        for it in (jobs.values() if isinstance(jobs, dict) else ())
        if isinstance(it, dict)
    }
    wanted = bool(raw.get("servers")) or not _WANT_A_TOKEN.isdisjoint(types)
    return ("hugging_face_token",) if wanted else ()


def build(
    config: "ClusterStack | Plan", secrets: "Mapping[str, Any]", folder: Path | None = None
) -> dict[str, Any]:
    """Registers the stack's resources and returns its outputs by name. `folder` is the project's,
    by default the one that the program runs in."""
    kind = getattr(config, "kind", None)
    if kind is None:
        return import_module("stacks.in_order").build(config, secrets, folder or Path())
    return import_module(KINDS[kind].build_module).build(config, secrets).exports()
