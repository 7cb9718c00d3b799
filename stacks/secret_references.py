"""Names of Secrets that people have made, as variables of pods. No Pulumi import."""

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated

from catalog.text_check import like
from stacks.problems import Problem

# Of a Secret; None are all of them.
SecretKey = tuple[str, str | None]
SecretReference = Annotated[
    str,
    like(
        r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?(=[A-Za-z_]\w*)?",
        "the name of a Secret, or NAME=KEY",
        "my-tokens=HF_TOKEN",
    ),
]


def named_secret(reference: str) -> SecretKey:
    name, _, key = reference.partition("=")
    return name, key or None


def variable_problems(
    field: str,
    references: Sequence[str],
    own: Collection[str],
    environment: Collection[str] = (),
) -> Iterator[Problem]:
    """A variable has one value; `own` are those that each pod has."""
    givers: dict[str, str] = {}
    for at, (name, key) in enumerate(map(named_secret, references)):
        if key is None:
            continue
        if key in own or key in environment:
            or_else = ", or the variable left out of environment" if key in environment else ""
            yield Problem(
                f"{field}[{at}]",
                f"{name} would give the variable {key}, which the pods have already; nearest: "
                f"another key{or_else}",
            )
        elif key in givers:
            yield Problem(
                f"{field}[{at}]",
                f"{name} would give the variable {key}, which {givers[key]} gives; nearest: one "
                "of them",
            )
        givers.setdefault(key, name)
