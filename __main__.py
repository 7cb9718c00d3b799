"""Reads the stack's config, builds the stack, exports its outputs."""

import sys
from pathlib import Path

import pulumi

from stacks import (
    changes,
    guard,
    kept_by_provider,
    kept_names,
    lost_work,
    on_record,
    running_work,
)
from stacks.build import build
from stacks.config import ConfigError, read
from stacks.two_runs import TwoRunsError

# What Pulumi's language host takes as: the user was told why. Any other code is one more error.
_USER_WAS_TOLD = 32

try:
    plan, secrets = read()
    record = on_record.read()
    changes.check(plan, record, pulumi.get_stack())
except (ConfigError, TwoRunsError) as error:
    pulumi.log.error(str(error))
    sys.exit(_USER_WAS_TOLD)
work = running_work.of(plan, record)
protection = guard.install(plan, work)
lost_work.install(plan, record)
kept_by_provider.install(record)
kept_names.install(record)
running_work.install(work)
for name, value in build(plan, secrets, Path(__file__).parent, record).items():
    pulumi.export(name, value)
work.close()
protection.close()
