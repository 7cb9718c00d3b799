"""Builds the stack of the config that is selected."""

from pathlib import Path

from stacks.program import run

run(Path(__file__).parent)
