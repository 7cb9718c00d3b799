"""What is said before a step of the engine is a warning of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pulumi
import pytest

from stacks.warned_steps import warn_of

ARGS = cast("pulumi.ResourceHookArgs", None)


async def _later(_: pulumi.ResourceHookArgs) -> str | None:
    return "later"


def test_what_is_said_of_a_step_is_warned_of_and_nothing_is_no_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hooks: list[Callable[[pulumi.ResourceHookArgs], Any]] = []
    warned: list[str] = []
    monkeypatch.setattr("pulumi.ResourceHook", lambda _, ask, __: hooks.append(ask))
    monkeypatch.setattr("pulumi.runtime.register_stack_transformation", lambda _: None)
    monkeypatch.setattr("pulumi.log.warn", warned.append)
    for warning in (lambda _: "now", lambda _: None, _later):
        warn_of("a", "before_create", ["a:b:C"], warning)
    for ask in hooks:
        asyncio.run(ask(ARGS))
    assert warned == ["now", "later"]
