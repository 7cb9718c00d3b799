"""Takes back what a program has made and the engine has not heard of yet.

The SDK sends what was made to the engine even where the program then fails: `run_pulumi_func` waits
for it first (pulumi/pulumi sdk/python/lib/pulumi/runtime/stack.py, 3.272.0). A program that ends
itself with a refusal would have the engine do half of what it refuses.
"""

import asyncio
from inspect import CORO_CREATED, getcoroutinestate
from types import CoroutineType
from typing import Any

from pulumi.runtime.settings import SETTINGS, get_root_resource


def take_back() -> None:
    """To be called by a program that ends itself, from its main function."""
    dropped: set[Any] = set()
    for task in asyncio.all_tasks():
        work = task.get_coro()
        if isinstance(work, CoroutineType) and getcoroutinestate(work) == CORO_CREATED:
            task.cancel()
            dropped.add(task)
    # The SDK's own class of it has no types for what it waits for.
    waited_for: Any = SETTINGS
    with waited_for.lock:
        waited_for.outputs.clear()
    calls = waited_for.rpc_manager
    calls.rpcs = [one for one in calls.rpcs if one not in dropped]
    # The stack tells its outputs when the program has ended, well or not (the SDK's Stack), and
    # would wait for values that nobody makes: a traceback. On record they stay what they are.
    root: Any = get_root_resource()
    if root is not None:
        root.outputs = {}
        root.register_outputs = _keep


def _keep(outputs: object) -> None:
    """In the place of a component's `register_outputs`."""
