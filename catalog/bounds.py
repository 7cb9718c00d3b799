"""The range of a number, and why it ends there."""

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True)
class Bounds:
    """From `low` to `high`, both included; `why` completes "more than ...", for an error about it.

    Infinities and NaN are outside, and `true` is no number.
    """

    low: float
    high: float
    why: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema: Any = handler(source)
        schema.update(ge=self.low, le=self.high)
        if schema["type"] == "float":
            schema["allow_inf_nan"] = False
        return core_schema.no_info_before_validator_function(self._number, schema)

    def clamped(self, value: float) -> str:
        """What is nearest to `value` within the bounds, as a config has it."""
        return str(self.clamped_number(value))

    def clamped_number(self, value: float) -> float:
        """What is nearest to `value` within the bounds; a whole number as one."""
        near = min(max(value, self.low), self.high)
        return int(near) if near == int(near) else near

    def _number(self, value: Any) -> Any:
        # Python takes true for 1, and a config that says so means something else.
        if isinstance(value, bool):
            shown = "true" if value else "false"
            raise ValueError(f"{shown} is no number; nearest: {self.clamped(value)}")
        return value
