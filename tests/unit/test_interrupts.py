"""Ctrl-C while the engine works: the run ends with the engine, not before it."""

from __future__ import annotations

import signal
import threading

import pytest

from sandbox.interrupts import Interrupts


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Signals that the engine was sent."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr("os.kill", lambda pid, number: sent.append((pid, number)))
    return sent


def test_an_engine_that_the_terminal_told_is_not_told_again(told: list[tuple[int, int]]) -> None:
    with Interrupts(lambda: 4711) as interrupts:
        signal.raise_signal(signal.SIGINT)
        interrupts.hear("^C received; cancelling. If you would like to terminate immediately, ...")
    assert interrupts.received
    assert told == []


def test_an_engine_that_was_not_told_is_told(
    told: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.interrupts._SECONDS_TO_SAY_SO", 0)
    asked = threading.Event()

    def engine() -> int:
        asked.set()
        return 4711

    with Interrupts(engine) as interrupts:
        signal.raise_signal(signal.SIGINT)
        asked.wait()
    assert interrupts.received
    assert told == [(4711, signal.SIGINT)]


def test_afterwards_ctrl_c_is_what_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts(lambda: None) as interrupts:
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before
    assert not interrupts.received
