"""What another stack says of itself: the cluster of a platform stack, for stacks that use it.

The engine reads the outputs at once, in a preview too, and nothing is registered for it, so that
all of them can be checked before the first resource. A StackReference would give the same outputs
later, and say less of what is wrong with them.
"""

import dataclasses
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, cast

import pulumi

from components.cluster.existing import ExistingClusterArgs
from stacks.problems import BrokenRulesError, NotUpError, Problem

# pulumi/pulumi pkg/resource/deploy/builtins.go, 1b594989 of 2026-08-21: what a StackReference's
# own Read calls, too.
_FUNCTION = "pulumi:pulumi:readStackOutputs"
_NAME = re.compile(r"[^/\s]+/[^/\s]+/[^/\s]+")
# Backends that are no Pulumi Cloud have one organization, of this name (pulumi/pulumi
# pkg/backend/diy/store.go:173, 1b594989 of 2026-08-21).
_ORGANIZATION = "organization"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReferredStack:
    """A stack's outputs, of which `secrets` are the names of secret ones. `field` is where the
    config names the stack, `name` is ORG/PROJECT/STACK."""

    field: str
    name: str
    outputs: Mapping[str, Any] = dataclasses.field(repr=False)
    secrets: frozenset[str]

    def text(self, output: str) -> str:
        """An output that is a text and no secret. Raises BrokenRulesError."""
        value = self._plain(output)
        if not isinstance(value, str) or not value:
            raise self._broken(f"{output} is no text")
        return value

    def texts(self, output: str) -> tuple[str, ...]:
        """An output that is a list of texts and no secret. Raises BrokenRulesError."""
        value = self._plain(output)
        items = cast("list[Any]", value) if isinstance(value, list) else []
        texts = tuple(it for it in items if isinstance(it, str))
        if not isinstance(value, list) or len(texts) < len(items):
            raise self._broken(f"{output} is no list of texts")
        return texts

    def output(self, output: str) -> pulumi.Output[Any]:
        """Any output; one that is a secret there is one here. Raises BrokenRulesError where there
        is none of the name."""
        value = self._found(output)
        is_secret = output in self.secrets
        return pulumi.Output.secret(value) if is_secret else pulumi.Output.from_input(value)

    def _plain(self, output: str) -> Any:
        value = self._found(output)
        if output in self.secrets:
            raise self._broken(f"{output} is a secret, and would stand in the state in plain")
        return value

    def _found(self, output: str) -> Any:
        if output in self.outputs:
            return self.outputs[output]
        if not self.outputs:
            why = f"it has no outputs; nearest: `{self._up}` first"
            raise NotUpError([self._problem(why)])
        near = get_close_matches(output, self.outputs, n=1) or sorted(self.outputs)[:1]
        raise self._broken(f"it has no output {output}; nearest: {near[0]}, or `{self._up}`")

    @property
    def _up(self) -> str:
        return f"pulumi up --stack {self.name}"

    def _broken(self, why: str) -> BrokenRulesError:
        return BrokenRulesError([self._problem(why)])

    def _problem(self, why: str) -> Problem:
        return Problem(self.field, f'"{self.name}": {why}')


def refer(field: str, name: str) -> ReferredStack:
    """The outputs of the stack ORG/PROJECT/STACK, which the config's `field` names. Raises
    BrokenRulesError where there is no such stack."""
    problem = _name_problem(name)
    if problem is not None:
        raise BrokenRulesError([Problem(field, problem)])
    try:
        found = pulumi.runtime.invoke(_FUNCTION, {"name": name}).value
    except Exception as error:
        # The SDK raises bare exceptions, whatever went wrong.
        reason = " ".join(str(error).rpartition("returned an error: ")[2].split())
        kind = NotUpError if _is_unknown(reason) else BrokenRulesError
        raise kind([Problem(field, _refused(name, reason))]) from None
    return ReferredStack(
        field=field,
        name=name,
        outputs=found["outputs"],
        secrets=frozenset(found["secretOutputNames"]),
    )


def cluster_of(found: ReferredStack) -> ExistingClusterArgs:
    """The cluster of a stack, as it exports it. Raises BrokenRulesError where an output is
    missing."""
    return ExistingClusterArgs(
        project=found.text("project"),
        location=found.text("cluster_location"),
        cluster=found.text("cluster_name"),
    )


def _name_problem(name: str) -> str | None:
    if not _NAME.fullmatch(name):
        stack = name.rpartition("/")[2].strip() or "STACK"
        return f'"{name}" is not ORG/PROJECT/STACK; nearest: {_own_project(stack)}'
    if name.split("/")[1:] == [pulumi.get_project(), pulumi.get_stack()]:
        return f'"{name}" is this stack itself; nearest: the stack that has the cluster'
    return None


def _refused(name: str, reason: str) -> str:
    _, project, stack = name.split("/")
    if "organization name must be" in reason:
        near = f"{_ORGANIZATION}/{project}/{stack}"
        return f'"{name}": this backend has no organizations but "{_ORGANIZATION}"; nearest: {near}'
    if _is_unknown(reason):
        return f'"{name}" is not there; nearest: one that `pulumi stack ls --all` shows'
    return f'"{name}" could not be read: {reason or "no reason was given"}'


def _is_unknown(reason: str) -> bool:
    return "unknown stack" in reason and "organization name must be" not in reason


def _own_project(stack: str) -> str:
    return f"{_ORGANIZATION}/{pulumi.get_project()}/{stack}"
