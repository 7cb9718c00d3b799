"""The `sitecustomize` of a pod whose files call `jax.distributed.initialize`: the call has of the
pod's variables what the program does not say. It stands by itself, for it is the text of a pod's
command."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

# Of torchrun, Open MPI and Slurm, which start several processes in a pod and number them.
_NUMBERED = ("LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")


class WhereJaxIs(importlib.abc.MetaPathFinder):
    """A program may set what JAX reads when it is imported, so nothing is imported before it."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != "jax._src.distributed":
            return None
        sys.meta_path.remove(self)
        spec: Any = importlib.util.find_spec(fullname)
        load = spec.loader.exec_module

        def loaded(module: Any) -> None:
            load(module)
            module.State.initialize = with_ranks(module.State.initialize)

        spec.loader.exec_module = loaded
        return spec


def with_ranks(initialize: Callable[..., None]) -> Callable[..., None]:
    takes = inspect.signature(initialize)
    own = {
        "coordinator_address": os.environ["JAX_COORDINATOR_ADDRESS"],
        "num_processes": int(os.environ["NNODES"]),
        "process_id": int(os.environ["NODE_RANK"]),
        # JAX would ask the API server, for which pods have no token.
        "cluster_detection_method": "deactivate",
    }

    def initialized(*given: Any, **named: Any) -> None:
        said = takes.bind(*given, **named).arguments
        if said.get("cluster_detection_method") is None:
            lacking = [it for it in own if it in takes.parameters and said.get(it) is None]
            said.update({it: own[it] for it in lacking})
        initialize(**said)

    return initialized


def images_own() -> None:
    """What the image has under this name, which Python now does not find by itself."""
    here = os.path.dirname(__file__)
    others = [it for it in sys.path if it != here]
    spec: Any = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if __name__ == "sitecustomize":
    if not any(it in os.environ for it in _NUMBERED):
        sys.meta_path.insert(0, WhereJaxIs())
    images_own()
