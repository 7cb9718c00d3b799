"""The clock waits for whoever still has something to do, however long the machine makes it wait."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from sandbox.clock import VirtualClock
from sandbox.idle import all_idle

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
# Computes until it is told to stop by the end of its input.
_BUSY = """
import sys, threading
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set())).start()
print("computing", flush=True)
while not ended.is_set():
    pass
"""


async def _until_idle() -> None:
    while not await all_idle():
        pass


def test_a_process_that_computes_is_not_idle_until_it_ends() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as busy:
        assert busy.stdout is not None
        assert busy.stdin is not None
        busy.stdout.readline()
        assert [asyncio.run(all_idle()) for _ in range(5)] == [False] * 5
        busy.stdin.close()
        busy.wait()
    asyncio.run(_until_idle())


def test_simulated_time_stands_still_while_a_process_computes() -> None:
    async def spend_beside_a_busy_process() -> tuple[bool, float]:
        clock = VirtualClock(speed=1e9)
        busy = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _BUSY,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert busy.stdout is not None
        assert busy.stdin is not None
        await busy.stdout.readline()
        spending = asyncio.ensure_future(clock.spend(60))
        # Far longer than the clock waits when nobody is busy.
        done, _ = await asyncio.wait([spending], timeout=0.5)
        busy.stdin.close()
        await busy.wait()
        return bool(done), (await spending).end

    ended_early, end = asyncio.run(spend_beside_a_busy_process())
    assert not ended_early
    assert end == 60
