"""A small convolutional network in JAX: ResNet's twin where PyTorch is too large to install.

It learns generated images alone. Gradients are averaged over the workers for real, by XLA.
"""

# pyright: reportMissingImports=false
import socket
from functools import partial
from typing import Any, BinaryIO

import jax
import jax.numpy as jnp
import numpy as np
from images import CLASSES, COUNTS, GENERATED, generate
from jax.sharding import NamedSharding, PartitionSpec
from ray.train import get_context
from ray.train.collective import broadcast_from_rank_zero
from ray.train.v2.jax import JaxTrainer
from ray.util import get_node_ip_address

MOMENTUM, WIDTH = 0.9, 16


class Learner:
    trainer = JaxTrainer

    def __init__(self, data: str, learning_rate: float, *, fresh: bool) -> None:
        if data != GENERATED:
            raise ValueError(f"data={data}: images of the world need PyTorch; nearest: {GENERATED}")
        # Ray's JaxTrainer joins the workers, but not where they have neither TPUs nor GPUs.
        if not jax.distributed.is_initialized():
            _join()
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        self.split = NamedSharding(mesh, PartitionSpec("data"))
        self.everywhere = NamedSharding(mesh, PartitionSpec())
        self.rate, self.parts = learning_rate, {part: generate(part) for part in COUNTS}
        self._set(_fresh_parameters())

    def count(self, part: str) -> int:
        return len(self.parts[part][1])

    def epoch(self, part: str, batches: list[list[int]], seed: int) -> tuple[float, float]:
        """Mean loss and accuracy, over all workers."""
        del seed  # nothing here is random
        sums = np.zeros(3)
        for batch in batches:
            images, labels = (
                jax.make_array_from_process_local_data(self.split, whole[batch])
                for whole in self.parts[part]
            )
            if part == "train":
                self.state, found = _step(self.state, images, labels, self.rate)
            else:
                _, found = _loss(self.state["parameters"], images, labels)
            sums += np.asarray([*found, 1.0]) * len(labels)
        return float(sums[0] / sums[2]), float(sums[1] / sums[2])

    def save(self, file: BinaryIO) -> None:
        kinds = self.state.items()
        flat = {f"{kind}.{key}": it for kind, tree in kinds for key, it in tree.items()}
        np.savez(file, **jax.device_get(flat))

    def load(self, file: BinaryIO) -> None:
        with np.load(file) as flat:
            self._set({name: flat[name] for name in flat})

    def _set(self, flat: dict[str, Any]) -> None:
        """Of names such as velocity.head; what has no velocity stands still."""
        put = partial(jax.device_put, device=self.everywhere)
        state: dict[str, dict[str, jax.Array]] = {"parameters": {}, "velocity": {}}
        for name, value in flat.items():
            kind, _, key = name.partition(".")
            state[kind][key] = put(value)
            state["velocity"].setdefault(key, put(np.zeros_like(value)))
        self.state = state


def _join() -> None:
    rank, world = get_context().get_world_rank(), get_context().get_world_size()
    with socket.socket() as free:
        free.bind(("", 0))
        leader = broadcast_from_rank_zero(f"{get_node_ip_address()}:{free.getsockname()[1]}")
    jax.distributed.initialize(leader, world, rank)


def _fresh_parameters() -> dict[str, Any]:
    random = np.random.default_rng(0)
    shapes = {"first": (3, 3, 3, WIDTH), "second": (3, 3, WIDTH, WIDTH), "head": (WIDTH, CLASSES)}
    return {
        f"parameters.{key}": (random.normal(size=shape) / np.sqrt(np.prod(shape[:-1]))).astype("f")
        for key, shape in shapes.items()
    }


@jax.jit
def _loss(parameters: dict[str, jax.Array], images: jax.Array, labels: jax.Array) -> Any:
    """Mean loss, and both metrics."""
    layout = ("NHWC", "HWIO", "NHWC")
    for key in ("first", "second"):
        images = jax.lax.conv_general_dilated(
            images, parameters[key], (2, 2), "SAME", dimension_numbers=layout
        )
        images = jax.nn.relu(images)
    logits = images.mean((1, 2)) @ parameters["head"]
    loss = -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()
    return loss, (loss, (logits.argmax(1) == labels).mean())


@jax.jit
def _step(state: dict[str, Any], images: jax.Array, labels: jax.Array, rate: float) -> Any:
    slopes, found = jax.grad(_loss, has_aux=True)(state["parameters"], images, labels)
    velocity = jax.tree.map(lambda v, slope: MOMENTUM * v + slope, state["velocity"], slopes)
    parameters = jax.tree.map(lambda p, v: p - rate * v, state["parameters"], velocity)
    return {"parameters": parameters, "velocity": velocity}, found
