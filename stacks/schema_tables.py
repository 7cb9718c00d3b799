"""The keys of a stack of parts as Markdown, from their JSON schema. No Pulumi import."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stacks.schema import Schema

_HEAD = ("key", "takes", "meaning")


@dataclass(frozen=True, kw_only=True)
class _Key:
    path: str
    default: str
    takes: str
    meaning: str

    @property
    def cells(self) -> tuple[str, ...]:
        default = f" ({self.default})" if self.default else ""
        return (f"`{self.path}`", f"{self.takes}{default}", self.meaning)


MARKER = "<!-- keys -->"


def with_keys(page: str, schema: Schema) -> str:
    """The page with the tables between its two markers."""
    before, _, after = page.split(MARKER)
    return f"{before}{MARKER}\n\n{key_sections(schema)}\n\n{MARKER}{after}"


def key_sections(schema: Schema) -> str:
    """A heading and a table for the keys of the stack itself, then for each of its parts."""
    tables = _Tables(schema)
    parts = list(tables.parts())
    with_a_section = {it.path.partition(".")[0] for _, _, keys in parts for it in keys}
    own = [it for it in tables.own_keys() if it.path not in with_a_section]
    sections = [f"## The stack itself\n\n{_table(own)}"]
    sections += [f"## {title}\n\n{text}\n\n{_table(keys)}" for title, text, keys in parts]
    return "\n\n".join(sections)


def takes_by_path(schema: Schema) -> dict[str, str]:
    """What each key takes, also those whose rows stand once for several blocks."""
    tables = _Tables(schema, repeats=True)
    keys = [*tables.own_keys(), *(it for _, _, part in tables.parts() for it in part)]
    return {it.path: it.takes for it in keys}


class _Tables:
    """With `repeats` the keys of a block that is alike to one above stand there again."""

    def __init__(self, schema: Schema, *, repeats: bool = False) -> None:
        self._schema = schema
        self._repeats = repeats
        self._above: dict[tuple[_Key, ...], str] = {}

    def own_keys(self) -> list[_Key]:
        return [
            self._key(name, field, required=name in self._schema["required"])
            for name, field in self._schema["properties"].items()
        ]

    def parts(self) -> Iterator[tuple[str, str, list[_Key]]]:
        for name, field in self._schema["properties"].items():
            inner, path = self._below(field, name)
            chooser, variants = self._union(inner)
            if variants:
                yield from self._sections(name, path, chooser, variants)
            if not variants and (block := self._resolved(inner)).get("properties"):
                yield f"`{name}`", block["description"], list(self._keys(block, f"{path}."))

    def _sections(
        self, name: str, path: str, chooser: str, variants: Mapping[str, Schema]
    ) -> Iterator[tuple[str, str, list[_Key]]]:
        """The keys of several variants, then a section with those that one alone has."""
        keys = {value: list(self._keys(it, f"{path}.")) for value, it in variants.items()}
        choice = f"{path}.{chooser}"
        having: dict[_Key, list[str]] = {}
        for value, own in keys.items():
            for key in own:
                having.setdefault(key, []).append(value)
        (meaning,) = {it.meaning for it in having if it.path == choice}
        shared = [
            _Key(path=choice, default="required", takes=_choices([*variants]), meaning=meaning)
        ]
        shared += [
            replace(key, meaning=f"{_choices(values)}: {key.meaning}")
            for key, values in having.items()
            if len(values) > 1
        ]
        yield f"`{name}`", f"Keys of several values of `{chooser}`.", shared
        for value, own in keys.items():
            alone = [it for it in own if it.path != choice and len(having[it]) == 1]
            title = f"`{name}`, `{chooser}: {value}`"
            yield title, variants[value]["description"], alone

    def _keys(self, block: Schema, prefix: str) -> Iterator[_Key]:
        required = block.get("required", [])
        for name, field in block["properties"].items():
            path = f"{prefix}{name}"
            inner, below = self._below(field, path)
            if "discriminator" in inner:
                yield from self._choice(path, field, *self._union(inner))
                continue
            resolved = self._resolved(inner)
            is_block = "properties" in resolved
            held = list(self._keys(resolved, f"{below}.")) if is_block else []
            if above := self._same_above(held, below):
                key = self._key(path, field, required=name in required)
                yield replace(key, takes=f"{key.takes} of `{above}`")
                continue
            # A block that is always there has keys, and nothing to say of its own.
            if not (is_block and (inner is field or _is_given(field))) or name in required:
                yield self._key(path, field, required=name in required)
            yield from held

    def _same_above(self, held: list[_Key], path: str) -> str:
        """The path of the block above whose keys have the same rows; of one key none."""
        relative = tuple(replace(it, path=it.path.removeprefix(path)) for it in held)
        if self._repeats or len(relative) < 2:
            return ""
        above = self._above.setdefault(relative, path)
        return "" if above == path else above

    def _union(self, schema: Schema) -> tuple[str, dict[str, Schema]]:
        """The key that chooses between blocks, and the blocks by its value; none of another."""
        key = schema.get("discriminator", {}).get("propertyName", "")
        blocks = [self._resolved(it) for it in schema.get("oneOf", [])]
        return key, {block["properties"][key]["const"]: block for block in blocks}

    def _choice(
        self, path: str, field: Schema, chooser: str, variants: Mapping[str, Schema]
    ) -> Iterator[_Key]:
        """The key that chooses, then the keys that only some choices have."""
        given = field.get("default")
        default = given[chooser] if isinstance(given, Mapping) else "required"
        yield _Key(
            path=f"{path}.{chooser}",
            default=f"{default}",
            takes=_choices([*variants]),
            meaning=_cell(field["description"]),
        )
        choices: dict[_Key, list[Any]] = {}
        for value, variant in variants.items():
            for key in self._keys(variant, f"{path}."):
                if key.path != f"{path}.{chooser}":
                    choices.setdefault(key, []).append(value)
        for key, having in choices.items():
            yield replace(key, meaning=f"{_choices(having)}: {key.meaning}")

    def _key(self, path: str, field: Schema, *, required: bool) -> _Key:
        return _Key(
            path=path,
            default="required" if required else _default(field),
            takes=self._takes(field),
            meaning=_cell(field["description"]),
        )

    def _below(self, field: Schema, path: str) -> tuple[Schema, str]:
        """What a field holds, and where its keys stand: in each of a list, or below each name."""
        inner = _without_null(field)
        if "items" in inner:
            return inner["items"], path
        named = [*inner.get("patternProperties", {}).values(), inner.get("additionalProperties")]
        held = next((it for it in named if isinstance(it, dict)), None)
        if held is not None and inner.get("type") == "object":
            return held, f"{path}.NAME"
        return inner, path

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        return self._schema["$defs"][reference.rpartition("/")[2]] if reference else schema

    def _takes(self, field: Schema) -> str:
        inner = _without_null(field)
        if "anyOf" in inner:
            choices = (self._takes(it) for it in inner["anyOf"] if it["type"] != "null")
            return " or ".join(dict.fromkeys(choices))
        resolved = self._resolved(inner)
        if "enum" in resolved or "const" in resolved:
            return _choices(resolved.get("enum", [resolved.get("const")]))
        return self._takes_type(resolved)

    def _takes_type(self, schema: Schema) -> str:
        match schema.get("type"):
            case "integer" | "number":
                if "minimum" not in schema or "maximum" not in schema:
                    return "a number"
                return f"{_plain(schema['minimum'])}..{_plain(schema['maximum'])}"
            case "boolean":
                return "boolean"
            case "array":
                return f"list of {self._takes(schema['items'])}"
            case "object" if "properties" not in schema:
                held, _ = self._below(schema, "")
                return f"{self._takes(held)} by name"
            case "string":
                return "time" if schema.get("format") == "date-time" else "text"
        return "keys"


def _without_null(field: Schema) -> Schema:
    choices = [it for it in field.get("anyOf", []) if it.get("type") != "null"]
    return choices[0] if len(choices) == 1 else field


def _is_given(field: Schema) -> bool:
    """Whether a block stands in a stack that does not name it."""
    return isinstance(field.get("default"), dict)


def _default(field: Schema) -> str:
    value = field.get("default", {})
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ""
    if isinstance(value, list):
        return f"{len(value)} of its own" if value else ""
    return _cell(str(value)) or "empty"


def _choices(values: list[Any]) -> str:
    return ", ".join(f"`{it}`" for it in values)


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(keys: list[_Key]) -> str:
    rows = [_HEAD, *(it.cells for it in keys)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    rule = [*("-" * width for width in widths), "---"]
    # GitHub draws a column by its widest cell, so the last one needs no padding.
    widths.append(0)
    lines = [
        [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        for row in (rows[0], rule, *rows[1:])
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
