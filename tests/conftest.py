"""A recording stand-in for the engine, fresh for each test, and the configs that tests start from.

It shows what a program registers and in which order things wait for each other; it proves nothing
about what providers or the engine make of it.
"""

import asyncio
import base64
import gc
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import pulumi
import pulumi_kubernetes as k8s
import pytest
import yaml
from google.protobuf import struct_pb2
from google.protobuf.json_format import MessageToDict
from hypothesis import HealthCheck, settings
from pulumi.runtime import mocks, set_all_config, set_mocks
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import set_root_resource

from stacks import clock, on_record
from tests import fast_sdk
from tests.wire import SECRET, revealed

# Property tests are held to no time: the machine may be busy.
settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-machine")
# Programs that tests run in processes of their own have it, too.
os.environ.setdefault(clock.VARIABLE, "2026-12-01")
# What a machine says of its user's accounts is no part of a test.
_ACCOUNTS = ("CLOUDSDK_", "GCLOUD_", "GOOGLE_", "HF_", "HUGGING_FACE_", "KUBECONFIG", "WANDB_")
_ENVIRONMENT: dict[str, str] = {}
# The cloud's SDK has many objects that stay: to look through them as often as by default is a tenth
# of what a test costs.
gc.set_threshold(100_000, 50, 100)
fast_sdk.install()

ROOT = Path(__file__).parent.parent
PROJECT = "gke-ai-stacks"
PROJECT_NUMBER = "123456789012"
TOKEN = "hf_test_token_value"
# As a Secret has it.
ENCODED_TOKEN = base64.b64encode(TOKEN.encode()).decode()
PASSWORD = "0f4c-test-password"
_CLUSTER = "cluster-of-a-test"
DNS_NAME = "gke-1a2b3c-123456789012.us-east1.gke.goog"


@dataclass(frozen=True)
class Registered:
    """One registration, as the engine would see it."""

    urn: str
    type: str
    name: str
    parent: str
    custom: bool
    provider: str
    protect: bool
    inputs: dict[str, Any]
    dependencies: frozenset[str]
    ignore_changes: tuple[str, ...]
    replace_on_changes: tuple[str, ...]
    replace_with: frozenset[str]
    replacement_trigger: Any
    delete_before_replace: bool
    create_timeout: str
    update_timeout: str
    delete_timeout: str
    secret_inputs: frozenset[str]
    property_dependencies: Mapping[str, frozenset[str]]
    alias_types: frozenset[str]


@dataclass
class Recording:
    """Everything registered in one run."""

    resources: list[Registered] = field(default_factory=list)
    output_registrations: list[str] = field(default_factory=list)
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of_type(self, suffix: str) -> list[Registered]:
        """Resources of a cloud; components are found by name."""
        return [it for it in self.resources if it.custom and it.type.endswith(suffix)]

    def one(self, suffix: str) -> Registered:
        found = self.of_type(suffix)
        assert len(found) == 1, f"{len(found)} of {suffix} in {sorted(self.names())}"
        return found[0]

    def named(self, name: str) -> Registered:
        found = [it for it in self.resources if it.name == name]
        assert len(found) == 1, f"{len(found)} named {name} in {sorted(self.names())}"
        return found[0]

    def names(self) -> set[str]:
        return {it.name for it in self.resources}

    def children(self, name: str) -> set[str]:
        urn = self.named(name).urn
        return {it.name for it in self.resources if it.parent == urn}

    def waits_for(self, name: str) -> set[str]:
        """Names of everything that has to be there first, near and far."""
        by_urn = {it.urn: it for it in self.resources}
        seen: set[str] = set()
        todo = [self.named(name)]
        while todo:
            one = todo.pop()
            nearby = set(one.dependencies)
            nearby |= {one.parent} if one.parent in by_urn else set()
            for urn in list(nearby):
                if urn in by_urn and not by_urn[urn].custom and urn != one.parent:
                    nearby |= {it.urn for it in self.resources if it.parent == urn}
            if one.provider:
                nearby.add(one.provider.rpartition("::")[0])
            for urn in nearby & by_urn.keys():
                if by_urn[urn].name not in seen:
                    seen.add(by_urn[urn].name)
                    todo.append(by_urn[urn])
        return seen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """A module leaves the environment as it was: what comes after it is in no fixed order."""
    yield
    if nextitem is None or nextitem.path != item.path:
        changed = dict(_ENVIRONMENT.items() ^ os.environ.items())
        left = sorted(changed.keys() - {"PYTEST_CURRENT_TEST"})
        os.environ.update({it: _ENVIRONMENT[it] for it in left if it in _ENVIRONMENT})
        for name in left:
            if name not in _ENVIRONMENT:
                os.environ.pop(name, None)
        assert not left, f"{item.path.name} leaves other values of {left}"


class RecordingMonitor(mocks.MockMonitor):
    def __init__(self, answers: mocks.Mocks, recording: Recording) -> None:
        super().__init__(answers)
        self.recording = recording

    def RegisterResource(self, request: Any) -> Any:
        answer = super().RegisterResource(request)
        if request.type == "pulumi:pulumi:Stack" or request.name == _CLUSTER:
            return answer
        self.recording.resources.append(
            Registered(
                urn=answer.urn,
                type=request.type,
                name=request.name,
                parent=request.parent,
                custom=bool(request.custom),
                provider=request.provider,
                protect=bool(request.protect),
                inputs=revealed(MessageToDict(request.object)),
                dependencies=frozenset(request.dependencies),
                ignore_changes=tuple(request.ignoreChanges),
                replace_on_changes=tuple(request.replaceOnChanges),
                replace_with=frozenset(request.replace_with),
                replacement_trigger=revealed(MessageToDict(request.replacement_trigger)),
                delete_before_replace=bool(request.deleteBeforeReplace),
                create_timeout=request.customTimeouts.create if request.customTimeouts else "",
                update_timeout=request.customTimeouts.update if request.customTimeouts else "",
                delete_timeout=request.customTimeouts.delete if request.customTimeouts else "",
                secret_inputs=frozenset(
                    key for key in request.object if SECRET in str(request.object[key])
                ),
                property_dependencies={
                    key: frozenset(found.urns)
                    for key, found in request.propertyDependencies.items()
                },
                alias_types=frozenset(it.spec.type for it in request.aliases if it.spec.type),
            )
        )
        return answer

    def Invoke(self, request: Any) -> Any:
        """What the engine has on record comes while the program waits: a mock's own answer would
        let all go on that the program has begun."""
        if request.tok != on_record.FUNCTION:
            return super().Invoke(request)
        found = self.mocks.call(mocks.MockCallArgs(request.tok, {}, request.provider))
        given = struct_pb2.Struct()
        given.update(cast("dict[str, Any]", found))
        answer = resource_pb2.ResourceInvokeResponse()
        getattr(answer, "return").CopyFrom(given)
        return answer

    def RegisterResourceOutputs(self, request: Any) -> Any:
        if "::pulumi:pulumi:Stack::" not in request.urn:
            self.recording.output_registrations.append(request.urn)
            self.recording.outputs[request.urn] = revealed(MessageToDict(request.outputs))
        return super().RegisterResourceOutputs(request)


class Answers(mocks.Mocks):
    """The outputs that a provider would add to the inputs; `on_record` is what the engine has from
    an earlier run, by URN."""

    def __init__(self, on_record: Mapping[str, Any] | None = None) -> None:
        self.on_record = dict(on_record or {})

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        given = {key: value for key, value in args.inputs.items() if value is not None}
        match args.typ:
            case "gcp:compute/network:Network":
                return f"projects/{given.get('project')}/global/networks/{given['name']}", given
            case "gcp:serviceaccount/account:Account":
                email = f"{given['accountId']}@{given['project']}.iam.gserviceaccount.com"
                return email, {**given, "email": email}
            case "gcp:container/cluster:Cluster":
                given["masterAuth"] = {"clusterCaCertificate": "Y2E="}
                given["controlPlaneEndpointsConfig"] = {
                    **given.get("controlPlaneEndpointsConfig", {}),
                    "dnsEndpointConfig": {"endpoint": DNS_NAME, "allowExternalTraffic": False},
                }
                private = {**given["privateClusterConfig"], "privateEndpoint": "10.10.1.2"}
                given["privateClusterConfig"] = private
                return args.name, {**given, "endpoint": "203.0.113.7"}
            case "gcp:lustre/instance:Instance":
                return args.name, {**given, "mountPoint": f"10.10.0.2@tcp:/{given['filesystem']}"}
            case "gcp:artifactregistry/repository:Repository":
                return args.name, {**given, "name": given["repositoryId"]}
            case "gcp:redis/instance:Instance":
                given |= {"host": "10.20.0.3", "port": 6379, "authString": PASSWORD}
                return args.name, given
            case _:
                return f"{args.name}-id", given

    def call(self, args: mocks.MockCallArgs) -> Any:
        if args.token == "gcp:organizations/getProject:getProject":
            return {**args.args, "number": PROJECT_NUMBER}
        if args.token == "pulumi:pulumi:readStackResourceOutputs":
            return {"outputs": self.on_record}
        if args.token == "gcp:artifactregistry/getRepository:getRepository":
            # Any that a config names is there, and has what was pushed into it.
            return {**args.args, "format": "DOCKER", "mode": "STANDARD_REPOSITORY", "labels": {}}
        if args.token == "gcp:compute/getImage:getImage":
            return {**args.args, "status": "READY"}
        raise AssertionError(f"{args.token}: programs make no other calls to the cloud")


def pytest_configure(config: pytest.Config) -> None:
    for name in [it for it in os.environ if it.startswith(_ACCOUNTS)]:
        del os.environ[name]
    _ENVIRONMENT.update(os.environ)
    # Google's SDK warns of its own old classes when it is imported.
    config.addinivalue_line("filterwarnings", r"ignore:gcp\.:DeprecationWarning")


def pytest_collection_finish() -> None:
    """What is there before the first test stays, and needs no look: another tenth."""
    gc.collect()
    gc.freeze()


class Register(Protocol):
    def __call__(self, program: Callable[[], Any], *, stack: str = "test") -> Recording: ...


def recorded(
    program: Callable[[], Any], *, stack: str = "test", answers: mocks.Mocks | None = None
) -> Recording:
    """Runs a function that registers resources, and returns what was recorded."""
    recording = Recording()
    answering = answers or Answers()
    _have_a_loop()
    # The root of an earlier program has its transformations.
    set_root_resource(cast("Any", None))
    set_mocks(
        answering,
        project=PROJECT,
        stack=stack,
        preview=False,
        monitor=RecordingMonitor(answering, recording),
    )

    @pulumi.runtime.test
    def under_test() -> None:
        program()

    under_test()
    return recording


def inside() -> pulumi.ResourceOptions:
    """Options of what is in a cluster, whose provider is not recorded."""
    return pulumi.ResourceOptions(provider=k8s.Provider(_CLUSTER, kubeconfig="{}"))


def _have_a_loop() -> None:
    """Mocks make an output at once, and `asyncio.run` of an earlier test leaves no loop behind."""
    try:
        is_there = isinstance(asyncio.get_event_loop(), fast_sdk.Loop)
    except RuntimeError:
        is_there = False
    if not is_there:
        asyncio.set_event_loop(fast_sdk.Loop())


@pytest.fixture(autouse=True)
def a_loop() -> None:
    """For outputs that a test makes outside a program."""
    _have_a_loop()


@pytest.fixture
def register() -> Iterator[Register]:
    """`recorded`, for tests that set a config."""
    yield recorded
    set_all_config({})


def stack_config(stack: str) -> dict[str, Any]:
    """A stack's config file as `validate` takes it, with a project."""
    text = (ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    config = yaml.safe_load(text)["config"]
    return {
        **config[f"{PROJECT}:stack"],
        "project": "my-project",
        "region": config["gcp:region"],
        "zone": config["gcp:zone"],
    }


def changed(config: Mapping[str, Any], **values: Any) -> dict[str, Any]:
    """A copy with values set by paths that have `__` for dots, and numbers for places in lists;
    None takes the key away."""
    result = deepcopy(dict(config))
    for path, value in values.items():
        *parents, last = path.split("__")
        here: Any = result
        for part in parents:
            here = here[int(part)] if part.isdecimal() else here.setdefault(part, {})
        if value is None:
            here.pop(last, None)
        else:
            here[last] = deepcopy(value)
    return result


@pytest.fixture
def b200() -> dict[str, Any]:
    return stack_config("b200-lustre")


@pytest.fixture
def dev() -> dict[str, Any]:
    return stack_config("dev")


@pytest.fixture
def verl_h200() -> dict[str, Any]:
    return stack_config("verl-h200")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How often engines were killed in the operations of each run that then got there."""
    reports = terminalreporter.getreports("passed")
    kills = [count for it in reports for name, count in it.user_properties if name == "kills"]
    if kills:
        for it in kills:
            terminalreporter.write_line(f"killed {it}")
        total = sum(int(str(it).split()[0]) for it in kills)
        terminalreporter.write_line(f"{len(kills)} runs were killed {total} times, and converge")
