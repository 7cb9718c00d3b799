"""Every change of a field that shows, with the stack that it is a change of."""

from tests.unit.effects import BUCKETS, CATALOG, GROUND, QUEUES
from tests.unit.effects_jobs import (
    CLASSIFIER,
    FINE_TUNE,
    MAXTEXT,
    NEMO_RL,
    RAY,
    SCRIPT,
    SERVERS,
    VERL,
)

_TABLES = (
    *(GROUND, BUCKETS, QUEUES, CATALOG, RAY, NEMO_RL, VERL),
    *(MAXTEXT, CLASSIFIER, SCRIPT, FINE_TUNE, SERVERS),
)
CHANGES = [(base, change) for table in _TABLES for base, each in table.items() for change in each]


def name_of(number: int) -> str:
    base, change = CHANGES[number]
    return f"{base}: {next(iter(change))}"
