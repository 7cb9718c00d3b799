"""Runs the program that its arguments name: `jax.distributed.initialize` has of the pod's variables
what the program does not say. It stands by itself, for it is the text of a pod's command."""

from __future__ import annotations

import importlib.abc
import importlib.util
import inspect
import os
import runpy
import sys
from collections.abc import Callable
from typing import Any


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


if __name__ == "__main__":
    sys.meta_path.insert(0, WhereJaxIs())
    del sys.argv[0]
    if sys.path[0] == "":
        sys.path[0] = os.path.dirname(sys.argv[0])
    runpy.run_path(sys.argv[0], run_name="__main__")
