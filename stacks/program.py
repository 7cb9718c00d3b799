"""The program of every project: reads the stack's config, builds the stack, exports its outputs."""

from __future__ import annotations

import sys
from pathlib import Path

import pulumi

from stacks import changes, guard, on_record, one_run, running_work, transformations, unregistered
from stacks.build import build
from stacks.commands import about
from stacks.config import ConfigError
from stacks.pulumi_config import read
from stacks.refusal import RefusedError
from stacks.two_runs import TwoRunsError

# What Pulumi's language host takes as: the user was told why. Any other code is one more error
# (pulumi/pulumi sdk/python/cmd/pulumi-language-python-exec, v3.256.0, 2026-11-22).
_USER_WAS_TOLD = 32


def run(folder: Path) -> None:
    """`folder` has what users bring, beside the config."""
    try:
        with about(pulumi.get_stack()):
            record = on_record.read()
            plan, secrets = read(one_run.standing(record))
            changes.check(plan, record, pulumi.get_stack())
            work = running_work.of(plan, record)
            protection = guard.install(plan, work, record)
            transformations.install(plan, record)
            running_work.install(work)
            for name, value in build(plan, secrets, folder, record).items():
                pulumi.export(name, value)
            work.close()
            protection.close()
    except (ConfigError, RefusedError, TwoRunsError) as error:
        unregistered.take_back()
        pulumi.log.error(str(error))
        sys.exit(_USER_WAS_TOLD)
