"""The images: in a folder, in a zip somewhere, or generated; and which worker has which, when."""

import shutil
import tempfile
import urllib.request
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from ray import train
from ray.train.collective import barrier

GENERATED, CLASSES, SIZE = "generated", 4, 32
COUNTS = {"train": 256, "val": 64}


def generate(part: str) -> tuple[Any, Any]:
    """Images (N, 32, 32, 3) and labels: coarse coloured squares, others in each class, in noise."""
    squares = np.random.default_rng(0).normal(size=(CLASSES, 4, 4, 3))
    patterns = squares.repeat(SIZE // 4, 1).repeat(SIZE // 4, 2)
    random = np.random.default_rng(COUNTS[part])
    labels = random.integers(CLASSES, size=COUNTS[part])
    noise = random.normal(size=(len(labels), SIZE, SIZE, 3))
    return (patterns[labels] + noise).astype("float32"), labels


def folder_of(data: str) -> Path:
    """The folder, or what the zip at this URL holds: a folder of its own name, once a node."""
    if "://" not in data:
        return Path(data)
    folder = Path(tempfile.gettempdir(), PurePosixPath(data).stem)
    if train.get_context().get_local_rank() == 0 and not folder.exists():
        with tempfile.TemporaryDirectory(dir=folder.parent) as part:
            archive, _ = urllib.request.urlretrieve(data, Path(part, "data.zip"))
            shutil.unpack_archive(archive, part)
            Path(part, folder.name).rename(folder)
    barrier()
    return folder


def batches(count: int, size: int, *, epoch: int, rank: int, world: int) -> list[list[int]]:
    """This worker's images in an epoch, by number: as many as any other's, so some come twice."""
    order = np.random.default_rng(epoch).permutation(count)
    mine = np.resize(order, -(-count // world) * world)[rank::world].tolist()
    return [mine[start : start + size] for start in range(0, len(mine), size)]
