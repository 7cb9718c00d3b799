"""What `preview` and `up` say of valid configs: warnings where one may cost more than its user
expects, and who reaches what answers."""

from itertools import chain

import pulumi

from stacks import open_holes
from stacks.parts.registry import PARTS
from stacks.parts.servers import access as server_access
from stacks.plan import Plan


def install(plan: Plan) -> None:
    """Say each once."""
    each = (*chain.from_iterable(it.advice for it in PARTS), open_holes.advice)
    for line in chain.from_iterable(advice(plan) for advice in each):
        pulumi.log.warn(line)
    for line in server_access.lines(plan):
        pulumi.log.info(line)
