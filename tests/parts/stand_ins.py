"""A config on the sandbox without the engine: what a program registers goes to the stand-ins of the
providers at once, in the order in which it comes.

It shows what the simulated Google Cloud and the Kubernetes in memory refuse; nothing of what an
engine makes of it.
"""

import asyncio
import tempfile
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from pulumi.provider.experimental import provider as rpc
from pulumi.runtime import mocks

from catalog.durations import Durations
from sandbox.clock import Span, VirtualClock
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.reservations import Reservations
from sandbox.clusters import Clusters
from sandbox.errors import CloudError, NotReadyError
from sandbox.existing import have_repositories
from sandbox.journal import Journal
from sandbox.providers.gcp import GcpStandIn
from sandbox.providers.kubernetes import KubernetesStandIn
from sandbox.providers.operations import Operations
from sandbox.providers.values import plain_map, wrap_map
from stacks.parts.images.plan import repository_in
from stacks.plan import Plan
from tests.conftest import Answers
from tests.parts.given_project import reservations
from tests.programs import registered
from tests.wire import revealed

_OF_PROVIDERS = "pulumi:providers:"
_T = TypeVar("_T")


class _NoTime(VirtualClock):
    """Nothing takes any."""

    async def spend(self, seconds: float) -> Span:
        return Span(self.now, self.now + seconds)


def _run(answer: Coroutine[Any, Any, _T]) -> _T:
    """By a loop of its own: the program's is at work."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, answer).result()


class StandIns(Answers):
    """Answers as the sandbox's providers do, and keeps the first refusal."""

    def __init__(self, plan: Plan, reservations: Reservations, folder: Path) -> None:
        super().__init__()
        stack = plan.stack
        self.refused = ""
        self._cloud = Cloud(plan.facts, reservations=reservations)
        self._clusters = Clusters(self._cloud, folder / "cloud.json")
        clock = _NoTime(1)
        durations = Durations.load()
        self._operations = Operations(self._cloud, clock, Journal(), durations, lambda: None)
        places = {"project": stack.project, "region": stack.region, "zone": stack.zone}
        self._providers: dict[str, rpc.Provider] = {"": self._gcp(places)}
        self._turn = threading.Lock()
        images = map(repository_in, _texts(stack.model_dump(mode="json")))
        have_repositories(self._cloud, {it for it in images if it and it.project == stack.project})

    def _gcp(self, args: Mapping[str, Any]) -> rpc.Provider:
        made = GcpStandIn(self._clusters, self._operations)
        _run(made.configure(rpc.ConfigureRequest({}, wrap_map(args), True, True)))
        return made

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        given = {key: it for key, it in revealed(args.inputs).items() if it is not None}
        with self._turn:
            if args.typ.startswith(_OF_PROVIDERS):
                return self._provider(args, given), given
            if not args.typ.startswith(("gcp:", "kubernetes:")):
                return super().new_resource(args)
            try:
                return _run(self._made(args, given))
            except (CloudError, NotReadyError) as error:
                # A program waits for ever for what fails here.
                self.refused = self.refused or f"{args.name}: {error}"
                return super().new_resource(args)

    def _provider(self, args: mocks.MockResourceArgs, given: dict[str, Any]) -> str:
        if args.typ.endswith(":gcp"):
            self._providers[args.name] = self._gcp(given)
        else:
            made = KubernetesStandIn(self._clusters, self._operations)
            _run(made.configure(rpc.ConfigureRequest({}, wrap_map(given), True, True)))
            self._providers[args.name] = made
        return args.name

    async def _made(
        self, args: mocks.MockResourceArgs, given: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        provider = self._providers[(args.provider or "").rpartition("::")[2]]
        urn = f"urn:pulumi:test::gke-ai-stacks::{args.typ}::{args.name}"
        checked = await provider.check(rpc.CheckRequest(urn, {}, wrap_map(given), b""))
        if checked.failures:
            found = checked.failures[0]
            raise CloudError("INVALID", f"{found.property}: {found.reason}")
        inputs = checked.inputs or wrap_map(given)
        made = await provider.create(rpc.CreateRequest(urn, inputs, 0, False))
        return str(made.resource_id), plain_map(made.properties or {})

    def call(self, args: mocks.MockCallArgs) -> Any:
        answer = super().call(args)
        if "number" in answer:
            return {**answer, "number": self._cloud.project_number(str(args.args["projectId"]))}
        return answer


def refused(raw: Mapping[str, Any], plan: Plan, folder: Path) -> str:
    """The first thing of a config that the sandbox does not take; empty where it takes all. What
    scripts bring is in the folder."""
    given = Reservations.model_validate(reservations(dict(raw)))
    with tempfile.TemporaryDirectory() as made:
        answers = StandIns(plan, given, Path(made))
        registered(plan, answers=answers, folder=folder)
        return answers.refused


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [it for inner in value.values() for it in _texts(inner)]
    if isinstance(value, list | tuple):
        return [it for inner in value for it in _texts(inner)]
    return [value] if isinstance(value, str) else []
