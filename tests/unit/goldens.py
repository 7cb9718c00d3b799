"""What stacks register, as text that a reader reviews.

`python -m tests.unit.goldens` writes the files anew.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import pulumi
import yaml
from pulumi.runtime import set_all_config

from stacks.build import build
from stacks.config import validate
from tests import fast_sdk
from tests.conftest import (
    ENCODED_TOKEN,
    ROOT,
    TOKEN,
    Recording,
    Registered,
    recorded,
    stack_config,
)
from tests.programs import WITH_ALL_SECRETS
from tests.unit.golden_variants import PRESETS, VARIANTS

FOLDER = ROOT / "tests" / "goldens"
OF_VARIANTS = FOLDER / "variants.yaml"
_WRITTEN = "# Written by `make inventory`.\n"
# What the stack tells its user, beside the resources.
TELLS = "outputs"
_MARKERS = {TOKEN: "(secret)", ENCODED_TOKEN: "(secret in base64)"}
# Of a file's text, in its name.
_DIGEST = re.compile(r"-[0-9a-f]{8}(?=\.(?:py|sh)\b)")
_OPTIONS = (
    *("protect", "delete_before_replace", "create_timeout", "update_timeout", "delete_timeout"),
    *("ignore_changes", "replace_on_changes", "replacement_trigger"),
)
# A longer text is shown where it differs alone.
_SHOWN = 120
_AROUND = 12
_MISSING = object()
_TYPE = "(type)"
_AS_IT_COMES = "+ "
_ORDER = "(order)"
# Of a mount, as `metadata-cache:ttl-secs:60`.
_OPTION = re.compile(r"(.*?)(?:[:=]([^:=]*))?$")
# The resources that a line names, and what it says of them.
NAMED = re.compile(r"((?:\S+, )*\S+) (.*)", re.DOTALL)
# The path of what it says of one, and what becomes of it.
_PLACE = re.compile(r"(.*?)((?:: | goes|goes|comes).*)", re.DOTALL)
Leaves = dict[str, Any]


def record_of(
    config: Mapping[str, Any],
    folder: Path | None,
    *,
    stack: str = "test",
    secrets_set: frozenset[str] = WITH_ALL_SECRETS,
) -> dict[str, Any]:
    """All that an engine would see of it, and what the stack tells its user."""
    plan = validate(config, secrets_set=secrets_set)
    told: list[Any] = []

    def program() -> None:
        secrets = {key: pulumi.Output.secret(TOKEN) for key in secrets_set}
        pulumi.Output.from_input(build(plan, secrets, folder)).apply(told.append)

    try:
        made = recorded(program, stack=stack)
    finally:
        set_all_config({})
        fast_sdk.forget()
    (tells,) = told
    return {**blocks(made), TELLS: {"type": "outputs", "inputs": _plain(tells)}}


@cache
def record_of_preset(preset: str) -> dict[str, Any]:
    return record_of(stack_config(preset), None, stack=preset, secrets_set=PRESETS[preset])


@cache
def record_of_variant(name: str) -> dict[str, Any]:
    it = VARIANTS[name]
    return record_of(it.config, None, stack=it.stack, secrets_set=it.secrets_set)


@cache
def _leaves_of(name: str) -> dict[str, Leaves]:
    """Of a preset or of a stack near one."""
    return leaves_by_name(record_of_preset(name) if name in PRESETS else record_of_variant(name))


def variation(name: str) -> list[str]:
    """The lines in which it differs from what it is near."""
    return differing(_leaves_of(VARIANTS[name].near), _leaves_of(name))


def blocks(made: Recording) -> dict[str, Any]:
    """Everything that the engine is told of each resource, by its name, but for what says nothing;
    others stand there by their names."""
    how_many = Counter(it.name for it in made.resources)
    names = {
        it.urn: it.name if how_many[it.name] == 1 else f"{it.name}({it.type.rpartition(':')[2]})"
        for it in made.resources
    }
    return dict(sorted((names[it.urn], _block(it, names)) for it in made.resources))


def _block(it: Registered, names: Mapping[str, str]) -> dict[str, Any]:
    def named(urns: frozenset[str]) -> list[str]:
        return sorted(names.get(urn, urn) for urn in urns)

    given = {key: named(urns) for key, urns in sorted(it.property_dependencies.items()) if urns}
    of_inputs = frozenset[str]().union(*it.property_dependencies.values())
    options = {key: _plain(getattr(it, key)) for key in _OPTIONS}
    block = {
        "type": it.type,
        "parent": names.get(it.parent),
        "provider": names.get(it.provider.rpartition("::")[0]),
        **options,
        "aliases": sorted(it.alias_types),
        "replace_with": named(it.replace_with),
        "depends_on": named(it.dependencies - of_inputs),
        "inputs_of": given,
        "secret_inputs": sorted(it.secret_inputs),
        "inputs": _plain(it.inputs),
    }
    return {key: value for key, value in block.items() if value not in (None, "", False, [], {})}


def _plain(value: Any) -> Any:
    """As YAML has it; secrets, and what has a file of its own, by their names."""
    if isinstance(value, dict):
        # In the protocol's maps they are in no order.
        return {_DIGEST.sub("-DIGEST", key): _plain(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_plain(it) for it in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        for secret, marker in _MARKERS.items():
            value = value.replace(secret, marker)
        return _files().get(value.strip(), _DIGEST.sub("-DIGEST", value))
    return value


@cache
def _files() -> dict[str, str]:
    files = [it for it in (ROOT / "workloads").rglob("*.*") if it.suffix in (".py", ".sh")]
    files.append(ROOT / "components/servers/answering_paths.py")
    return {
        it.read_text(encoding="utf-8").strip(): f"(the file {it.relative_to(ROOT)})"
        for it in files
        if it.stat().st_size > _SHOWN
    }


class _Merge(str):
    """`<<` of YAML: what stands elsewhere goes first."""


class _Dumper(yaml.SafeDumper):
    """Says what is `common` once, by its name."""

    common: Mapping[int, str] = {}

    def ignore_aliases(self, data: Any) -> bool:
        return id(data) not in self.common

    def generate_anchor(self, node: yaml.Node) -> str:
        return self.names[id(node)]

    def represent_data(self, data: Any) -> yaml.Node:
        node = super().represent_data(data)
        if id(data) in self.common:
            self.names[id(node)] = self.common[id(data)]
        return node

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.names: dict[int, str] = {}


def _merge(dumper: yaml.SafeDumper, _: _Merge) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:merge", "<<")


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(_Merge, _merge)
_Dumper.add_representer(str, _text)


def text_of(found: Mapping[str, Any]) -> str:
    """What stands on all resources of a type, and the labels that all have, are written once."""
    labels = _shared_labels(found)
    common: dict[str, Any] = {"labels": labels, **_by_type(found)}
    common = {key: it for key, it in common.items() if it}
    _Dumper.common = {id(it): _anchor(key) for key, it in common.items()}
    resources = {name: _shortened(block, common, labels) for name, block in found.items()}
    whole = {"common": common, "resources": resources}
    text = yaml.dump(whole, Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True)
    assert read(text) == found, "the text says something else"
    return _WRITTEN + text


def read(text: str) -> dict[str, Any]:
    return loaded(text)["resources"]


def loaded(text: str) -> Any:
    """By libyaml, which takes a tenth of the time."""
    return yaml.load(text, Loader=yaml.CSafeLoader)


def _anchor(key: str) -> str:
    return "".join(it if it.isalnum() else "-" for it in key)


def _shared_labels(found: Mapping[str, Any]) -> dict[str, str]:
    """Those that all resources of Google's with labels have."""
    having = [
        {*it["inputs"]["labels"].items()}
        for it in found.values()
        if it["type"].startswith("gcp:") and "labels" in it.get("inputs", {})
    ]
    return dict(sorted(set[tuple[str, str]].intersection(*having))) if having else {}


def _by_type(found: Mapping[str, Any]) -> dict[str, Any]:
    """What all resources of a type have in common, where there are three or more."""
    by_type: dict[str, list[dict[str, Any]]] = {}
    for block in found.values():
        by_type.setdefault(block["type"], []).append(block)
    said: dict[str, Any] = {}
    for kind, its in sorted(by_type.items()):
        keys = ("type", "aliases", "provider", "delete_before_replace", "depends_on", "inputs_of")
        same = {
            key: its[0][key]
            for key in keys
            if all(it.get(key) == its[0].get(key) for it in its) and key in its[0]
        }
        if len(its) > 2 and len(same) > 1:
            said[kind] = same
    return said


def _shortened(block: dict[str, Any], common: Mapping[str, Any], labels: Any) -> dict[str, Any]:
    of_type = common.get(block["type"], {})
    rest = {key: _with_labels(it, labels) for key, it in block.items() if key not in of_type}
    return {_Merge("<<"): of_type, **rest} if of_type else rest


def _with_labels(value: Any, labels: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_with_labels(it, labels) for it in value]
    if not isinstance(value, dict) or not labels:
        return value
    if value == labels:
        return labels
    if labels.items() <= value.items():
        rest = {key: it for key, it in value.items() if key not in labels}
        return {_Merge("<<"): labels, **rest}
    return {key: _with_labels(it, labels) for key, it in value.items()}


def differing(before: Mapping[str, Leaves], after: Mapping[str, Leaves]) -> list[str]:
    places: dict[str, list[str]] = {}
    known = dict(before)
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            lines = ["goes"]
        elif name in before:
            lines = [*_lines_of(before[name], after[name])]
        else:
            like, *lines = _coming(known, after[name])
            lines = [like, *(f"{_AS_IT_COMES}{it}" for it in lines)]
            known[name] = after[name]
        for said in lines:
            places.setdefault(said, []).append(name)
    return [f"{', '.join(names)} {said}" for said, names in places.items()]


def unlike(of: str, found: Iterable[str], expected: Iterable[str]) -> list[str]:
    """What a golden does not say of it, or says otherwise: a line for each path of a resource."""
    new, old = (dict(map(_by_place, each_of(it))) for it in (found, expected))
    return [
        f"{of}: {name} {path}{_told(new.get((name, path)), old.get((name, path)))}"
        for name, path in dict.fromkeys([*old, *new])
        if old.get((name, path)) != new.get((name, path))
    ]


def each_of(lines: Iterable[str]) -> dict[tuple[str, str], None]:
    """What a line says of each of the resources that it names."""
    split = [NAMED.fullmatch(it) for it in lines]
    return dict.fromkeys((name, it[2]) for it in split if it for name in it[1].split(", "))


def _by_place(each: tuple[str, str]) -> tuple[tuple[str, str], str]:
    name, what = each
    found = _PLACE.fullmatch(what)
    assert found
    return (name, found[1]), found[2]


def _told(new: str | None, old: str | None) -> str:
    if new is None:
        return f"{old} is missing"
    return f"{new} is new" if old is None else f"{new}, where{old} is recorded"


def _coming(known: Mapping[str, Leaves], made: Leaves) -> list[str]:
    """What comes is said by what it is like, if there is something of its type."""
    same = [name for name, it in known.items() if it[_TYPE] == made[_TYPE]]
    tried = [(name, [*_lines_of(known[name], made)]) for name in same]
    if not tried:
        return ["comes", *_lines_of({}, made)]
    name, lines = min(tried, key=lambda it: (len(it[1]), it[0]))
    return [f"comes like {name}", *lines]


def _lines_of(before: Leaves, after: Leaves) -> Iterator[str]:
    for path in [*before, *(it for it in after if it not in before)]:
        old, new = before.get(path, _MISSING), after.get(path, _MISSING)
        if old != new and not (path.endswith(_ORDER) and _others(old, new)):
            yield f"{path}{_change(old, new)}"


def _others(old: Any, new: Any) -> bool:
    """They are other names, which have their own lines, and not the same in another order."""
    return _MISSING in (old, new) or sorted(old) != sorted(new)


def _change(old: Any, new: Any) -> str:
    if new is _MISSING:
        said = flow(old)
        return f" goes: {said}" if len(said) <= _SHOWN else " goes"
    if isinstance(old, str) and isinstance(new, str) and len(new) > _SHOWN:
        return f": ...{_middle(old, new)}..."
    if isinstance(old, list) and isinstance(new, list) and _are_names(old) and _are_names(new):
        came, went = (sorted({*one} - {*other}) for one, other in ((new, old), (old, new)))
        if [it for it in old if it not in went] == [it for it in new if it not in came]:
            return f": {', '.join([*(f'+{it}' for it in came), *(f'-{it}' for it in went)])}"
    return f": {flow(new)}"


def _middle(old: str, new: str) -> str:
    """Of two long texts what differs, with a little of what stands around it."""
    start = len([*takewhile(lambda it: it[0] == it[1], zip(old, new, strict=False))])
    ends = zip(reversed(old[start:]), reversed(new[start:]), strict=False)
    end = len([*takewhile(lambda it: it[0] == it[1], ends)])
    return json.dumps(new[max(start - _AROUND, 0) : len(new) - max(end - _AROUND, 0)])


def _are_names(value: list[Any]) -> bool:
    """Of a list whose order says nothing, as that of what is waited for."""
    return all(isinstance(it, str) for it in value) and value == sorted({*value})


def flow(value: Any) -> str:
    return value if isinstance(value, str) and value.isprintable() else json.dumps(value)


def leaves_by_name(made: Mapping[str, Any]) -> dict[str, Leaves]:
    """Inputs by their own paths, and what else the engine is told in brackets."""
    return {
        name: {
            path: value
            for key, it in block.items()
            for path, value in _leaves(it, "" if key == "inputs" else f"({key})")
        }
        for name, block in made.items()
    }


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Entries of a list by their names, where they have some."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except ValueError:
            yield path, value
            return
    if isinstance(value, str) and (words := _words(value)):
        value = words
    if isinstance(value, dict) and value:
        for key, it in value.items():
            yield from _leaves(it, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(it, dict | list) for it in value):
        names = [it.get("name") if isinstance(it, dict) else None for it in value]
        named = len({str(it) for it in names if it}) == len(value)
        for at, it in enumerate(value):
            yield from _leaves(it, f"{path}[{names[at] if named else at}]")
        if named:
            yield f"{path}{_ORDER}", names
    else:
        yield path, value


def _words(text: str) -> dict[str, str]:
    """Of a long command, or of a long list of options, the options by their names, and the rest."""
    if len(text) <= _SHOWN or not text.isprintable():
        return {}
    if " " not in text and "," in text:
        return {found[1]: found[2] or "" for it in text.split(",") if (found := _OPTION.match(it))}
    options = [it.partition("=") for it in text.split(" ") if "=" in it]
    rest = " ".join(it for it in text.split(" ") if "=" not in it)
    named = {name: value for name, _, value in options}
    return {"(command)": rest, **named} if len(named) == len(options) > 2 else {}


@cache
def recorded_variants() -> dict[str, list[str]]:
    return loaded(OF_VARIANTS.read_text(encoding="utf-8"))


def lines_text(said: Mapping[str, Any]) -> str:
    return _WRITTEN + yaml.safe_dump(said, sort_keys=False, width=10_000, allow_unicode=True)


def file_of(preset: str) -> Path:
    return FOLDER / f"{preset}.yaml"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for preset in PRESETS:
        text = text_of(record_of_preset(preset))
        file_of(preset).write_text(text, encoding="utf-8")
    text = lines_text({title: variation(title) for title in VARIANTS})
    OF_VARIANTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
