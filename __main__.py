"""Reads the stack's config, builds the stack, exports its outputs."""

import pulumi

from stacks import build
from stacks.config import read

config, secrets = read()
for name, value in build(config, secrets).items():
    pulumi.export(name, value)
