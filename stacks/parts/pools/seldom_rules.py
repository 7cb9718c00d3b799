"""Rules of what few pools have, loaded where one has it. No Pulumi import."""

from collections.abc import Iterator

from stacks.plan import Plan
from stacks.problems import Problem


def claim_problems(plan: Plan) -> Iterator[Problem]:
    if any(it.gpus_claimed for it in plan.gpu_pools.values()):
        from stacks.parts.pools.gpu_claim_rules import gpu_claim_problems

        yield from gpu_claim_problems(plan)


def domain_problems(plan: Plan) -> Iterator[Problem]:
    if any(it.domain is not None for it in plan.gpu_pools.values()):
        from stacks.parts.pools.nvlink_rules import nvlink_problems

        yield from nvlink_problems(plan)


def when_problems(plan: Plan) -> Iterator[Problem]:
    if any(it.late for it in plan.pools.values()):
        from stacks.parts.pools.when_rules import late_problems

        yield from late_problems(plan)


SELDOM = (claim_problems, domain_problems, when_problems)
