"""What a user is told of a change that takes two runs."""

from __future__ import annotations

from stacks.on_record import Record
from stacks.refusal import SEAL_TYPE
from stacks.two_runs import Difference, TwoRuns

LOCATION = Difference("stack.cluster.location", "us-central1-a", "us-central1")
PROTECTED = Record({"urn:seal": {"type": SEAL_TYPE}})


def lines(record: Record, *targets: str, differences: tuple[Difference, ...] = ()) -> list[str]:
    found = TwoRuns(
        what="Not in one run",
        differences=(LOCATION, *differences),
        why="for a reason",
        targets=targets,
        loss="All of it goes.",
    )
    return str(found.refusal(record, "test")).splitlines()


def test_it_says_what_differs_why_what_to_run_and_what_is_lost() -> None:
    assert lines(Record()) == [
        "Not in one run; nothing was changed.",
        "  stack.cluster.location: us-central1-a -> us-central1",
        "Why: for a reason. What does it:",
        "  pulumi destroy --stack test",
        "  pulumi up --stack test",
        "All of it goes.",
    ]


def test_each_target_is_named_with_what_depends_on_it() -> None:
    commands = lines(Record(), "urn:a", "urn:b")
    assert (
        "  pulumi destroy --stack test --target urn:a --target urn:b --target-dependents"
        in commands
    )


def test_of_a_protected_stack_the_first_step_turns_that_off() -> None:
    said = lines(PROTECTED, "urn:a")
    first = next(it for it in said if "deletion_protection false and nothing else changed" in it)
    assert said.index(first) == said.index("Why: for a reason. What does it:") + 1


def test_a_field_is_named_once_as_it_is_first_met() -> None:
    again = Difference("stack.cluster.location", "us-central1", "elsewhere")
    other = Difference("stack.name", "a", "b")
    said = lines(Record(), differences=(again, other))
    assert said[1:3] == [f"  {LOCATION}", "  stack.name: a -> b"]
