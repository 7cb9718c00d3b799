"""An engine that is killed in each of its operations on objects of a real control plane.

What it asked for goes on there, and what is deleted is still on its way out as the next command
begins. Work of others is in the cluster: in a namespace of their own, which stays as it is, and in
the stack's own, which goes with the stack.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kube.conftest import LiveSandbox
from tests.parts.bystanders import Bystanders
from tests.parts.sampling import everything_is_run
from tests.stacks.conftest import changed
from tests.stacks.kills import (
    CALLS,
    ELSEWHERE,
    IN_ELSEWHERE,
    NO_QUEUES,
    OWN,
    PATIENCE_SECONDS,
    Call,
    kill_in_each,
)
from tests.stacks.test_lifecycle import made_once

# One after the other, each said anew; the first from nothing.
STEPS: dict[str, tuple[tuple[str, ...], ...]] = {
    "dev": ((), (ELSEWHERE,), (ELSEWHERE, *NO_QUEUES), (ELSEWHERE,)),
    "tpu-elastic": ((), (ELSEWHERE,)),
    "b200-lustre": ((OWN,), (OWN, "network.accelerators.range=10.128.0.0/16")),
}
LIVES: dict[str, tuple[str, Call]] = {
    f"{stack}, {call}": (stack, call) for stack in STEPS for call in CALLS
}
# The shortest; all of them, three at a time, take 10 minutes on 2 cores.
IN_EVERY_RUN = ("tpu-elastic, taken",)
OBJECTS = "kubernetes:*"
# A third less for the shortest.
_SECONDS = PATIENCE_SECONDS if everything_is_run() else 1200


@pytest.mark.timeout(_SECONDS)
@pytest.mark.parametrize("name", LIVES if everything_is_run() else IN_EVERY_RUN)
def test_a_stack_gets_through_its_life_though_each_operation_on_an_object_is_killed(
    live_sandbox: Callable[[str], LiveSandbox],
    name: str,
    record_property: Callable[[str, object], None],
) -> None:
    stack, call = LIVES[name]
    sandbox = live_sandbox(stack)
    others, total = Bystanders(sandbox), 0
    for step in STEPS[stack]:
        _, kills = kill_in_each(sandbox, "up", call, *step, of=OBJECTS)
        total += kills
        assert made_once(sandbox)
        assert changed(sandbox.succeed("preview", *step)) == {}
        if step == STEPS[stack][0]:
            others.come()
        assert others.stand()
    others.leave()
    if STEPS[stack][-1] == (ELSEWHERE,):
        Bystanders(sandbox, IN_ELSEWHERE, queued=True).come()
    result, kills = kill_in_each(sandbox, "destroy", call, of=OBJECTS)
    record_property("kills", f"{total + kills} times: {name}, real control plane")
    assert result.cloud == {}
