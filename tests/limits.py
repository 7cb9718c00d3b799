"""Whether what a program lets operations take is what they may take."""

from collections.abc import Iterator

from catalog.durations import is_awaited
from catalog.durations_table import OPERATIONS, Operation
from catalog.timeouts import longest, provider_minutes
from tests.conftest import Recording, Registered

# What waits for machines, for a place in a queue, or for the end of a run takes longer than any
# table says, and has a limit by its part of the config.
_OF_GOOGLE = "gcp:"


def wrong_limits(made: Recording) -> list[str]:
    """Operations whose limit is below what the table of durations has, or what the provider waits
    by itself, and those of Google's resources with more than twice both."""
    return [line for it in made.resources if it.custom for line in _wrong(it)]


def _wrong(one: Registered) -> Iterator[str]:
    for operation in OPERATIONS:
        least = provider_minutes(one.type, operation)
        if least is None or not is_awaited(one.inputs):
            continue
        text = limit_of(one, operation)
        minutes = int(text.removesuffix("m")) if text else least
        needed = longest(one.type, operation, one.inputs) / 60
        if minutes < max(least, needed):
            yield f"{one.name}: {operation} has {minutes} min, and takes {max(least, needed):.0f}"
        if one.type.startswith(_OF_GOOGLE) and minutes > max(least, 2 * needed):
            yield f"{one.name}: {operation} has {minutes} min, and takes {needed:.0f}"


def limit_of(one: Registered, operation: Operation) -> str:
    """As the engine is told; empty where the provider's own holds."""
    return getattr(one, f"{operation}_timeout")
