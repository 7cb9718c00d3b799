"""Runs creates, updates and deletes against the simulated cloud in simulated time.

One place for what every operation has in common: fault rules, the duration table, the limit of
operations at once on a cluster, the journal, and the crash fault.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import Any

from catalog.durations import WITH_IMAGES, Durations
from catalog.permissions import Operation
from catalog.timeouts import provider_minutes, provider_wait
from cli.urns import name_of
from sandbox.clock import Slots, Span, VirtualClock
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.given_back import GivenBack
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.iam import ProjectIamMember
from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError, GivenUpError, HalfMadeError
from sandbox.faults import Crash
from sandbox.image_pulls import Pulls
from sandbox.journal import Journal, Step
from stacks.refusal import renews_nodes

# GKE runs at most five operations at once on a cluster; the provider retries the 429 of a sixth
# (hashicorp/terraform-provider-google #15205).
OPERATIONS_AT_ONCE = 5


class Operations:
    """The only door through which the stand-ins change the simulated cloud."""

    def __init__(
        self,
        cloud: Cloud,
        clock: VirtualClock,
        journal: Journal,
        durations: Durations,
        engine_pid: Callable[[], int | None],
    ) -> None:
        self._cloud = cloud
        self._clock = clock
        self._journal = journal
        self._durations = durations
        self._engine_pid = engine_pid
        self._slots: dict[str, Slots] = {}
        self.pulls = Pulls(durations)

    # `asked` are the seconds that the program gives an operation, 0 for as long as the provider
    # waits by itself. What it then gives up the cloud goes on with.

    async def create(
        self, urn: str, token: str, inputs: dict[str, Any], asked: float = 0
    ) -> Resource:
        limit = _limit(token, "create", asked)
        async with self._step(urn, token, "create", inputs, limit=limit) as spend:
            resource = self._cloud.begin_create(token, inputs, urn)
            try:
                await spend(self._cloud.create_minutes(token, inputs))
            except GivenUpError as error:
                raise _of_create(token, resource, error) from None
            made = self._cloud.finish_create(resource)
            if (error := self._cloud.half_made(made)) is not None:
                if not error.read:
                    # The provider makes none of its further calls.
                    KINDS[token].after_cut_off(made, self._cloud)
                    self._cloud.save()
                raise error
            return made

    async def update(
        self, urn: str, token: str, resource_id: str, inputs: dict[str, Any], asked: float = 0
    ) -> Resource:
        old = self._cloud.get(resource_id)
        kept = GivenBack.load().of(token).with_kept(old.inputs if old else {}, inputs)
        renews = old is not None and renews_nodes(token, old.inputs, kept)
        limit = _limit(token, "update", asked)
        async with self._step(urn, token, "update", inputs, renews=renews, limit=limit) as spend:
            try:
                await spend(self._cloud.change_minutes(token, resource_id, inputs))
            except GivenUpError as given_up:
                self._cloud.update(token, resource_id, inputs)
                raise HalfMadeError(resource_id, given_up.reason, read=False) from None
            made = self._cloud.update(token, resource_id, inputs)
            error = None if old is None else self._cloud.half_changed(old.inputs, made)
            if error is not None:
                raise error
            return made

    async def delete(self, urn: str, token: str, resource_id: str, asked: float = 0) -> None:
        resource = self._cloud.get(resource_id)
        if resource is None:
            return
        limit = _limit(token, "delete", asked)
        async with self._step(urn, token, "delete", resource.inputs, limit=limit) as spend:
            self._cloud.check_delete(resource)
            try:
                if KINDS[token].is_asked("delete", resource.inputs):
                    await spend()
            except GivenUpError:
                self._cloud.finish_delete(resource, urn)
                raise
            self._cloud.finish_delete(resource, urn)

    async def wait(self, seconds: float) -> None:
        """Simulated time in which others may get on."""
        await self._clock.spend(seconds)

    @asynccontextmanager
    async def step(
        self,
        urn: str,
        token: str,
        operation: Operation,
        inputs: dict[str, Any] | None = None,
        *,
        asked: bool = True,
        seconds: float = 0,
    ) -> AsyncIterator[Callable[..., Any]]:
        """A journalled step that the caller fills in: kubernetes objects, which have no slots.
        `asked`: the cluster is, before the time is spent. `seconds` are those that the program
        gives it."""
        self._cloud.caller.check(token, operation, name_of(urn))
        limit = _limit(token, operation, seconds)
        timed = self._timed(urn, token, operation, inputs=inputs, asked=asked, limit=limit)
        async with timed as spend:
            yield spend

    @asynccontextmanager
    async def _step(
        self,
        urn: str,
        token: str,
        operation: Operation,
        inputs: dict[str, Any],
        *,
        renews: bool = False,
        limit: float = math.inf,
    ) -> AsyncIterator[Callable[..., Any]]:
        kind = KINDS[token]
        if kind.is_asked(operation, inputs):
            self._cloud.caller.check(token, operation, kind.identify(inputs))
            if token == ProjectIamMember.token:
                self._cloud.caller.check_grant(inputs["role"])
        key = kind.slots(inputs)
        slots = self._slots.setdefault(key, Slots(OPERATIONS_AT_ONCE)) if key else nullcontext()
        requested = self._clock.now
        asked = operation == "create"
        timed = self._timed(
            urn, token, operation, requested, inputs, asked=asked, renews=renews, limit=limit
        )
        async with slots, timed as spend:
            yield spend

    @asynccontextmanager
    async def _timed(
        self,
        urn: str,
        token: str,
        operation: str,
        requested: float | None = None,
        inputs: dict[str, Any] | None = None,
        *,
        asked: bool,
        renews: bool = False,
        limit: float = math.inf,
    ) -> AsyncIterator[Callable[..., Any]]:
        start = self._clock.now
        span = Span(start, start)
        crash: Crash | None = None

        async def spend(minutes: float | None = None) -> None:
            nonlocal span
            if crash and asked:
                # What was asked for is so, or comes to be.
                await self._kill_engine()
            if operation == "create" and token in WITH_IMAGES:
                await self._images(urn, inputs or {})
            seconds = self._durations.seconds(token, operation, inputs, renews=renews)
            seconds *= self._cloud.faults.slowdown(token)
            seconds = seconds if minutes is None else minutes * 60
            left = start + limit - self._clock.now
            span = await self._clock.spend(max(0, min(seconds, left)))
            if seconds > left:
                raise GivenUpError(limit)

        ok = False
        try:
            crash = self._cloud.faults.started(token, operation)
            if crash and crash.call == "lost":
                await self._kill_engine()
            if (fail := self._cloud.faults.failing(token, operation)) is not None:
                span = await self._clock.spend(fail.minutes * 60)
                raise CloudError("INTERNAL", fail.message)
            yield spend
            if crash:
                await self._kill_engine()
            ok = True
            if operation != "delete":
                made = operation == "create"
                self.pulls.came(urn, inputs or {}, self._clock.now, made=made)
        finally:
            began = start if requested is None else requested
            self._journal.add(Step(urn, operation, began, span, ok))

    async def _images(self, urn: str, inputs: dict[str, Any]) -> None:
        slowdown = self._cloud.faults.slowdown
        for pull, it in self.pulls.wanted(urn, inputs, self._clock.now, slowdown):
            self._journal.add(Step(pull, "create", it.start, it, True))
            if it.end > self._clock.now:
                await self._clock.spend(it.end - self._clock.now)

    async def _kill_engine(self) -> None:
        """Nobody is left to answer: the operation stays as it is until the run's end cancels it."""
        pid = self._engine_pid()
        if pid is None:
            raise CloudError("INTERNAL", "the crash fault found no engine to kill")
        os.kill(pid, signal.SIGKILL)
        await asyncio.Event().wait()


def _limit(token: str, operation: Operation, asked: float) -> float:
    """Of what is made by calls that answer at once none."""
    minutes = None if operation == "read" else provider_minutes(token, operation)
    if minutes is None:
        return math.inf
    limit = asked or minutes * 60
    wait = provider_wait(token)
    # It waits for the operation, and then as long for the resource's state to be a resting one.
    twice = operation == "create" and wait is not None and wait.after_create == "read"
    return 2 * limit if twice else limit


def _of_create(token: str, resource: Resource, error: GivenUpError) -> CloudError:
    """By what the provider then has in its state."""
    wait = provider_wait(token)
    if wait is None or wait.after_create == "cleared":
        return CloudError("TIMEOUT", f"waiting to create {resource.id}: {error.reason}")
    if wait.after_create == "kept":
        return HalfMadeError(resource.id, error.reason, read=False)
    message = f'NodePool "{resource.id}" has state "PROVISIONING" with message ""'
    return HalfMadeError(resource.id, message, read=True)
