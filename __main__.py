"""Reads the stack's config, builds the stack, exports its outputs."""

import sys
from pathlib import Path

import pulumi

from stacks import guard, immutable, kept_by_provider, lost_work, on_record, ray_first, running_work
from stacks.build import build
from stacks.config import ConfigError, read
from stacks.one_run import TwoRunsError

# What Pulumi's language host takes as: the user was told why. Any other code is one more error.
_USER_WAS_TOLD = 32

try:
    plan, secrets = read()
    record = on_record.read()
    immutable.check(plan, record)
    work = running_work.of(plan, record)
    protection = guard.install(plan, record, work)
    ray_first.check(plan, record, pulumi.get_stack())
except (ConfigError, TwoRunsError) as error:
    pulumi.log.error(str(error))
    sys.exit(_USER_WAS_TOLD)
lost_work.install(plan, record)
kept_by_provider.install(record)
running_work.install(work)
for name, value in build(plan, secrets, Path(__file__).parent).items():
    pulumi.export(name, value)
work.close()
protection.close()
