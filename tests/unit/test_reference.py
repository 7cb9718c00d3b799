"""Outputs of another stack, as a program reads them. What the engine makes of a reference is shown
in tests/stacks/test_reference.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks, set_mocks

from components.cluster.existing import ExistingClusterArgs
from stacks.problems import BrokenRulesError
from stacks.reference import ReferredStack, cluster_of, refer
from tests.unit.existing_parts import EngineError

NAME = "organization/gke-ai-stacks/platform"
OUTPUTS = {
    "project": "p",
    "cluster_location": "us-east1",
    "cluster_name": "shared",
    "pools": ["cpu", "gpu"],
    "nodes": 3,
    "token": "hush",
}


class Backend(mocks.Mocks):
    """Answers for a backend with one stack."""

    def __init__(self, outputs: dict[str, Any] | str) -> None:
        self.outputs = outputs
        self.asked: list[str] = []

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        raise AssertionError(f"{args.name}: a reference registers nothing")

    def call(self, args: mocks.MockCallArgs) -> Any:
        assert args.token == "pulumi:pulumi:readStackOutputs"
        self.asked.append(args.args["name"])
        if isinstance(self.outputs, str):
            raise EngineError(f"invocation of {args.token} returned an error: {self.outputs}")
        secrets = [name for name in self.outputs if name == "token"]
        return {"name": NAME, "outputs": self.outputs, "secretOutputNames": secrets}


def referred(
    use: Callable[[ReferredStack], Any],
    outputs: dict[str, Any] | str = OUTPUTS,  # type: ignore[assignment]
    name: str = NAME,
) -> Any:
    """What `use` makes of the reference; of an output its value, and whether it is secret."""
    set_mocks(Backend(outputs), project="gke-ai-stacks", stack="dev")
    found: list[Any] = []

    @pulumi.runtime.test
    def under_test() -> Any:
        made = use(refer("cluster.stack", name))
        if not isinstance(made, pulumi.Output):
            return found.append(made)

        async def looked_at() -> None:
            found.append((await made.future(), await made.is_secret()))

        return pulumi.Output.from_input(looked_at())

    under_test()
    return found[0]


def test_a_platforms_cluster_is_the_one_that_it_exports() -> None:
    assert referred(cluster_of) == ExistingClusterArgs(
        project="p", location="us-east1", cluster="shared"
    )
    assert referred(lambda it: it.texts("pools")) == ("cpu", "gpu")


def test_what_is_a_secret_there_is_one_here() -> None:
    assert referred(lambda it: it.output("token")) == ("hush", True)
    assert referred(lambda it: it.output("nodes")) == (3, False)
    assert "hush" not in referred(repr)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            lambda it: it.text("cluster_nam"),
            f"it has no output cluster_nam; nearest: cluster_name, or `pulumi up --stack {NAME}`",
        ),
        (lambda it: it.output("zzz"), "it has no output zzz; nearest: cluster_location, or "),
        (lambda it: it.text("nodes"), "nodes is no text"),
        (lambda it: it.texts("cluster_name"), "cluster_name is no list of texts"),
        (lambda it: it.text("token"), "token is a secret, and would stand in the state in plain"),
    ],
)
def test_an_output_that_cannot_be_used_is_named(
    use: Callable[[ReferredStack], Any], message: str
) -> None:
    with pytest.raises(BrokenRulesError) as raised:
        referred(use)
    (problem,) = raised.value.problems
    assert problem.field == "cluster.stack"
    assert problem.message.startswith(f'"{NAME}": {message}')


def test_a_stack_that_was_never_up_has_no_outputs() -> None:
    with pytest.raises(
        BrokenRulesError, match=f"it has no outputs; nearest: `pulumi up --stack {NAME}`"
    ):
        referred(cluster_of, {})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (f'unknown stack "{NAME}"', f'"{NAME}" is not there; nearest: one that `pulumi stack ls'),
        (
            "organization name must be 'organization'",
            f'"{NAME}": this backend has no organizations but "organization"; nearest: {NAME}',
        ),
        ("no route to host", f'"{NAME}" could not be read: no route to host'),
    ],
)
def test_a_stack_that_cannot_be_read_is_named(answer: str, message: str) -> None:
    with pytest.raises(BrokenRulesError) as raised:
        referred(cluster_of, answer)
    (problem,) = raised.value.problems
    assert problem.message.startswith(message)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "platform",
            '"platform" is not ORG/PROJECT/STACK; nearest: organization/gke-ai-stacks/platform',
        ),
        ("a/b/c/d", '"a/b/c/d" is not ORG/PROJECT/STACK; nearest: organization/gke-ai-stacks/d'),
        ("", '"" is not ORG/PROJECT/STACK; nearest: organization/gke-ai-stacks/STACK'),
        ("organization/gke-ai-stacks/dev", "is this stack itself; nearest: the stack that has"),
    ],
)
def test_a_name_that_cannot_be_right_is_not_asked_for(name: str, message: str) -> None:
    with pytest.raises(BrokenRulesError) as raised:
        referred(cluster_of, name=name)
    assert message in raised.value.problems[0].message
