"""Whose a part is that exists already. Networks and subnetworks have no labels to tell by."""

from collections.abc import Iterator, Mapping

from components.labels import STACK, owner_of, stack_labels
from stacks.problems import Problem


def owner_problems(
    field: str, what: str, labels: Mapping[str, str], stack: str
) -> Iterator[Problem]:
    """One of another stack of ours goes when that stack goes; one of this stack's own would be
    deleted as soon as the program no longer makes it. `what` is the part with its name."""
    owner = owner_of(labels)
    if owner is None:
        return
    if owner == stack_labels({}, stack)[STACK]:
        yield Problem(
            field,
            f"{what} is this stack's own, by its labels, and would be deleted now that it is only "
            f"named; nearest: the block without `existing`",
        )
        return
    yield Problem(
        field,
        f"{what} belongs to the stack {owner}, by its labels, which may change or delete it; "
        f"nearest: a reference, `stack: ORG/PROJECT/{owner}`",
    )
