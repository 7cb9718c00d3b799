"""Stands in for MaxText where a TPU would train: a small model with the same way of life.

It has MaxText's entry point, options, names of folders and Orbax checkpoints; its mesh is of all
devices there are, and its parameters are cut over them. A batch has the same examples whatever the
mesh. HOLD names places as STEP:WORKERS, where all workers stop for good, with a word to the pipe
GATE from the first. At those that PREEMPTED names they save the step and return, as MaxText does
where its machines are about to go.
"""

# pyright: reportMissingImports=false
import json
import os
import threading
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import NamedSharding, PartitionSpec

INPUTS, OUTPUTS, EXAMPLES, RATE, MOMENTUM = 16, 8, 32, 0.05, 0.9
State = dict[str, jax.Array]


def main(argv: list[str]) -> None:
    options = dict(option.split("=", 1) for option in argv[2:])
    run = Path(options["base_output_directory"], options["run_name"])
    every = ocp.CheckpointManagerOptions(
        save_interval_steps=int(options["checkpoint_period"]), enable_async_checkpointing=False
    )
    mesh = jax.make_mesh((jax.device_count(),), ("fsdp",))
    cut = NamedSharding(mesh, PartitionSpec("fsdp"))
    with ocp.CheckpointManager(run / "checkpoints", options=every) as manager:
        state, first = _fresh(cut), 0
        if (last := manager.latest_step()) is not None:
            like = jax.tree.map(ocp.utils.to_shape_dtype_struct, state)
            state, first = manager.restore(last, args=ocp.args.StandardRestore(like)), last + 1
        steps = int(options["steps"])
        for step in range(first, steps):
            _hold(step)
            state, loss = _train(state, *_batch(step, cut))
            _note(run, step, float(loss), state["weights"])
            ends = step == steps - 1 or _is_at(step, "PREEMPTED")
            manager.save(step, args=ocp.args.StandardSave(state), force=ends)
            if ends:
                return


def _fresh(cut: NamedSharding) -> State:
    zeros = np.zeros((INPUTS, OUTPUTS), "float32")
    return {key: jax.device_put(zeros, cut) for key in ("weights", "velocity")}


def _batch(step: int, cut: NamedSharding) -> list[jax.Array]:
    random = np.random.default_rng(step)
    inputs = random.normal(size=(EXAMPLES, INPUTS)).astype("float32")
    outputs = inputs @ np.random.default_rng(0).normal(size=(INPUTS, OUTPUTS)).astype("float32")
    return [
        jax.make_array_from_callback(whole.shape, cut, whole.__getitem__)
        for whole in (inputs, outputs)
    ]


@jax.jit
def _train(state: State, inputs: jax.Array, outputs: jax.Array) -> Any:
    def of(weights: jax.Array) -> jax.Array:
        return jnp.mean((inputs @ weights - outputs) ** 2)

    loss, slope = jax.value_and_grad(of)(state["weights"])
    velocity = MOMENTUM * state["velocity"] + slope
    return {"weights": state["weights"] - RATE * velocity, "velocity": velocity}, loss


def _note(run: Path, step: int, loss: float, weights: jax.Array) -> None:
    if jax.process_index() == 0:
        shard = weights.sharding.shard_shape(weights.shape)
        found = {"step": step, "loss": loss, "devices": jax.device_count(), "shard": shard}
        with (run / "steps.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(found) + "\n")


def _hold(step: int) -> None:
    if _is_at(step, "HOLD"):
        if jax.process_index() == 0:
            with Path(os.environ["GATE"]).open("a", encoding="utf-8") as gate:
                gate.write(f"{step}:{jax.process_count()}\n")
        threading.Event().wait()


def _is_at(step: int, places: str) -> bool:
    return f"{step}:{jax.process_count()}" in os.environ.get(places, "").split(",")
