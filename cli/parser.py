"""A command line that has to do without packages."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from cli.lines import say_aside


class Parser(argparse.ArgumentParser):
    """Ends a mistake in a line, with what to type next."""

    def error(self, message: str) -> NoReturn:
        say_aside(f"error: {message}; nearest: `{self.prog} --help`")
        sys.exit(2)
