"""Reads the stack's config, builds the stack, exports its outputs."""

import pulumi

from stacks import build, guard
from stacks.config import read

config, secrets = read()
guard.install(config)
for name, value in build(config, secrets).items():
    pulumi.export(name, value)
