"""What a stack and the stacks beside it would both name in the cloud, or install in a cluster. No
Pulumi import."""

from collections.abc import Collection, Iterator

from stacks.checks import references_of
from stacks.cloud_names import Field, TakenName
from stacks.cluster_names import all_names
from stacks.installed_twice import installed_twice, used
from stacks.names_beside import Beside, Neighbour, free_name
from stacks.plan import Plan
from stacks.stack import Stack


def clashes(plan: Plan, beside: Beside) -> Iterator[str]:
    """A line for each field; of a stack of the very same name that is said of the name."""
    others = [
        (other, found)
        for other in beside.others
        if other.name != plan.stack.name
        if (found := _plan_of(other)) is not None
    ]
    theirs: dict[TakenName, tuple[Neighbour, Field]] = {}
    for other, found in others:
        for taken, field in all_names(found, other.stack).items():
            theirs.setdefault(taken, (other, field))
    told: set[str] = set()
    own = all_names(plan, beside.stack) if theirs else {}
    for taken, field in own.items():
        if taken in theirs and field.path not in told:
            told.add(field.path)
            other, their_field = theirs[taken]
            nearest = _nearest(plan, beside.stack, taken, field, theirs)
            yield (
                f'stack.{field.path}: "{taken.name}" is the name of a {taken.kind} of '
                f"{other.file}, too (stack.{their_field.path}), and there is one of a name; "
                f"nearest: {nearest}"
            )
    yield from installed_twice(plan, beside.stack, others)


def _plan_of(other: Neighbour) -> Plan | None:
    """What is wrong in the file of another stack is its own to report."""
    try:
        stack = Stack.model_validate(dict(other.raw))
        if next(references_of(stack), None) is not None:
            return None
        plan = Plan(stack)
        # A plan is read as it is asked.
        all_names(plan, other.stack)
        used(plan)
    except ValueError:
        return None
    return plan


def _nearest(
    plan: Plan, here: str, taken: TakenName, field: Field, theirs: Collection[TakenName]
) -> str:
    """What the field takes that names nothing of the others'."""
    if field.path == "name":
        return _free_stack_name(plan, here, theirs)
    names = {it.name for it in theirs if it.kind == taken.kind}
    if field.key:
        return f"a key such as {free_name(field.key, (), field.limit.value.longest)}"
    return free_name(taken.name, names, field.limit.value.longest)


def _free_stack_name(plan: Plan, here: str, theirs: Collection[TakenName]) -> str:
    tried = [plan.stack.name]
    # Each takes another name away, and there are no more than these.
    for _ in range(len(theirs) + 1):
        tried.append(free_name(plan.stack.name, tried))
        renamed = Plan(plan.stack.model_copy(update={"name": tried[-1]}))
        own = all_names(renamed, here)
        if not any(it in theirs for it, field in own.items() if field.path == "name"):
            break
    return tried[-1]
