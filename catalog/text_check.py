"""Texts of one form, for constrained types: a check, and what a schema says of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True)
class TextCheck:
    """A check of a text, and what of it a JSON schema can say."""

    check: Callable[[str], str]
    schema: Mapping[str, Any] = field(hash=False)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**self.schema, **handler(core)}


def like(
    pattern: str,
    what: str,
    example: str,
    near: Callable[[str], Sequence[str]] | None = None,
) -> TextCheck:
    """`near` knows, best first, what a text that is none may stand for."""
    compiled = re.compile(pattern, re.ASCII)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            meant = ", ".join(near(value)) if near else ""
            raise ValueError(f'"{value}" is not {what}; nearest: {meant or f"one like {example}"}')
        return value

    return TextCheck(check, {"pattern": f"^({pattern})$"})
