"""Parts that are not the stack's: what a config may not say of them, and whose they are. No Pulumi
import."""

from collections.abc import Iterable, Iterator, Mapping

from components.base.labels import STACK, owner_of, stack_labels
from stacks.problems import Problem
from stacks.types import Block


def beside_problems(field: str, block: Block, keys: Iterable[str], why: str) -> Iterator[Problem]:
    """Those of the keys that the config has in the block; `why` says whose they are."""
    for key in keys:
        if key in block.model_fields_set:
            yield Problem(f"{field}.{key}", f"{why}; nearest: leave it out")


def owner_problems(
    field: str,
    what: str,
    labels: Mapping[str, str],
    stack: str,
    *,
    made_by: str = "the block without `existing`",
    on_record: bool = True,
    lent_by: str = "a reference, `stack: ORG/PROJECT/{owner}`",
) -> Iterator[Problem]:
    """One of another stack of ours goes when that stack goes; one of this stack's own would be
    deleted as soon as the program no longer makes it. `what` is the part with its name; `made_by`
    is what has the stack make one, `lent_by` what another stack lends one by. One of this stack's
    own that is not `on_record` any more is deleted by nobody.
    Networks and subnetworks have no labels to tell by."""
    owner = owner_of(labels)
    if owner is None:
        return
    if owner == stack_labels({}, stack)[STACK]:
        if not on_record:
            return
        yield Problem(
            field,
            f"{what} is this stack's own, by its labels, and would be deleted now that it is only "
            f"named; nearest: {made_by}",
        )
        return
    yield Problem(
        field,
        f"{what} belongs to the stack {owner}, by its labels, which may change or delete it; "
        f"nearest: {lent_by.format(owner=owner)}",
    )
