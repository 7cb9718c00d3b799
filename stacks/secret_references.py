"""Names of Secrets that people have made, as variables of pods. No Pulumi import."""

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, NamedTuple, Self

from catalog.text_check import like
from stacks.problems import Problem

# Of a Secret; None are all of them.
SecretKey = tuple[str, str | None]
SecretReference = Annotated[
    str,
    like(
        # Keys are those that Kubernetes takes (kubernetes/kubernetes v1.35.4
        # staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go, IsConfigMapKey).
        r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?(=([A-Za-z_]\w*|[-.\w]{1,253}:[A-Za-z_]\w*))?",
        "the name of a Secret, NAME=KEY, or NAME=KEY:VARIABLE where the key is no variable's name",
        "my-tokens=HF_TOKEN",
    ),
]


class NamedSecret(NamedTuple):
    """`variable` has the value of `key`; without both each key is a variable."""

    name: str
    key: str | None
    variable: str | None

    @property
    def of_key(self) -> SecretKey:
        return self.name, self.key

    def is_among(self, other: Self) -> bool:
        """Whether who has the other has this one, too."""
        whole = other.key is None and self.key == self.variable
        return self == other or (whole and self.name == other.name)


def named_secret(reference: str) -> NamedSecret:
    name, _, key = reference.partition("=")
    key, _, variable = key.partition(":")
    return NamedSecret(name, key or None, variable or key or None)


def variable_problems(
    field: str,
    references: Sequence[str],
    own: Collection[str],
    environment: Collection[str] = (),
) -> Iterator[Problem]:
    """A variable has one value; `own` are those that each pod has."""
    givers: dict[str, str] = {}
    for at, (name, key, variable) in enumerate(map(named_secret, references)):
        if variable is None:
            continue
        if variable in own or variable in environment:
            left_out = ", or the variable left out of environment"
            or_else = left_out if variable in environment else ""
            yield Problem(
                f"{field}[{at}]",
                f"{name} would give the variable {variable}, which the pods have already; nearest: "
                f"{name}={key}:VARIABLE with another one{or_else}",
            )
        elif variable in givers:
            yield Problem(
                f"{field}[{at}]",
                f"{name} would give the variable {variable}, which {givers[variable]} gives; "
                f"nearest: {name}={key}:VARIABLE with another one",
            )
        givers.setdefault(variable, name)
