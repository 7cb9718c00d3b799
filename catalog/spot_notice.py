"""How long a spot node's pods have to end once Google takes the machine back."""

from typing import Literal

from pydantic import PositiveInt

from .table import Table

# Of the machine, the pods of the system included.
Notice = Literal[30, 120]


class SpotNotice(Table):
    """`default` and `longest` are seconds of the machine, of which the system's own pods have
    `critical` at its end."""

    default: Notice
    longest: Notice
    critical: PositiveInt

    def left_to_pods(self, seconds: int) -> int:
        return seconds - self.critical
