"""What a config says of a part that is not the stack's to decide. No Pulumi import."""

from collections.abc import Iterable, Iterator

from stacks.block import Block
from stacks.problems import Problem


def beside_problems(field: str, block: Block, keys: Iterable[str], why: str) -> Iterator[Problem]:
    """Those of the keys that the config has in the block; `why` says whose they are."""
    for key in keys:
        if key in block.model_fields_set:
            yield Problem(f"{field}.{key}", f"{why}; nearest: leave it out")
