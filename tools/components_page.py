"""docs/components.md: what each public component makes, needs and gives, read from the code.

`make inventory` writes its table; `--check` says instead whether the one that is there is the same.
"""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import components
from components.base.component import Component
from tools.written_page import table_row, write_or_check

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "components.md"
_MARKERS = {"components": "<!-- components -->", "others": "<!-- others -->"}
# What stands before the types of one, and before each.
_SDKS = {"gcp": ("", "gcp."), "k8s": ("in the cluster: ", "")}
# What calls of an SDK make that is no resource.
_NO_RESOURCES = ("Args", "Options", "Opts", "Provider")
_ANY_KIND = "CustomResource"


def public_components() -> dict[str, type[Component]]:
    """By name, in its order."""
    return {
        name: found
        for name in sorted(dir(components))
        if isinstance(found := getattr(components, name), type) and issubclass(found, Component)
    }


def args_of(component: type[Component]) -> type:
    return getattr(import_module(component.__module__), f"{component.__name__}Args")


def needs(component: type[Component]) -> str:
    """What it does not make: APIs that are on, or a cluster."""
    apis = ", ".join(f"`{it}`" for it in component.required_apis())
    there = [f"APIs {apis}"] if apis else []
    return "; ".join([*there, *(["the cluster's provider"] if component.is_in_cluster() else [])])


def arguments(component: type[Component]) -> tuple[list[str], int]:
    """Those without a default, and how many have one."""
    fields = dataclasses.fields(args_of(component))
    nothing = dataclasses.MISSING
    required = [it.name for it in fields if it.default is nothing and it.default_factory is nothing]
    return required, len(fields) - len(required)


def gives(component: type[Component]) -> list[str]:
    """Attributes and methods that are not private by name."""
    body = _class(component)
    annotated = [
        it.target.id
        for it in body.body
        if isinstance(it, ast.AnnAssign) and isinstance(it.target, ast.Name)
    ]
    methods = [f"{it.name}()" for it in body.body if isinstance(it, ast.FunctionDef)]
    assigned = [
        target.attr
        for it in ast.walk(body)
        if isinstance(it, ast.Assign | ast.AnnAssign)
        for target in _targets(it)
        if isinstance(target.value, ast.Name) and target.value.id == "self"
    ]
    found = dict.fromkeys([*annotated, *assigned, *methods])
    return [it for it in found if not it.startswith("_")]


def makes(component: type[Component]) -> dict[str, list[str]]:
    """Types of resources by the SDK that makes them."""
    found = dict.fromkeys(_resources(_module(component.__module__), _class(component), set()))
    by_sdk: dict[str, list[str]] = {}
    for sdk, made in found:
        by_sdk.setdefault(sdk, []).append(made)
    return by_sdk


@dataclasses.dataclass(frozen=True)
class _Module:
    name: str
    tree: ast.Module
    definitions: dict[str, ast.AST]
    imported: dict[str, tuple[str, str]]
    constants: dict[str, str]


@cache
def _module(name: str) -> _Module:
    file = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    definitions: dict[str, ast.AST] = {}
    imported: dict[str, tuple[str, str]] = {}
    constants: dict[str, str] = {}
    for it in tree.body:
        match it:
            case ast.FunctionDef() | ast.ClassDef():
                definitions[it.name] = it
            case ast.ImportFrom(level=level, module=module) if level and module:
                package = name.split(".")[:-level]
                for alias in it.names:
                    imported[alias.asname or alias.name] = (
                        ".".join([*package, module]),
                        alias.name,
                    )
            case ast.Assign(
                targets=[ast.Name(id=constant)], value=ast.Constant(value=str() as text)
            ):
                constants[constant] = text
            case _:
                pass
    return _Module(name, tree, definitions, imported, constants)


def _class(component: type[Component]) -> ast.ClassDef:
    found = _module(component.__module__).definitions[component.__name__]
    assert isinstance(found, ast.ClassDef)
    return found


def _resources(module: _Module, body: ast.AST, seen: set[int]) -> Iterator[tuple[str, str]]:
    """Each type with its SDK, of the code itself and of the functions that it names."""
    if id(body) in seen:
        return
    seen.add(id(body))
    for it in ast.walk(body):
        if isinstance(it, ast.Call):
            yield from _resource(module, body, it)
        if isinstance(it, ast.Name) and (found := _found(module, it.id)):
            yield from _resources(*found, seen)


def _found(module: _Module, name: str) -> tuple[_Module, ast.AST] | None:
    """The function of that name, and where it is."""
    if isinstance(found := module.definitions.get(name), ast.FunctionDef):
        return module, found
    if name in module.imported:
        source, original = module.imported[name]
        if source.startswith("components."):
            return _found(_module(source), original)
    return None


def _resource(module: _Module, body: ast.AST, call: ast.Call) -> Iterator[tuple[str, str]]:
    sdk, *parts = ast.unparse(call.func).split(".")
    named = bool(parts) and parts[-1][:1].isupper() and not parts[-1].endswith(_NO_RESOURCES)
    if named and parts[-1] == _ANY_KIND:
        yield from (("k8s", kind) for kind in _kinds(module, body, call))
    elif named and sdk == "k8s":
        yield sdk, parts[-1]
    elif named and sdk == "gcp":
        yield sdk, ".".join(parts)


def _kinds(module: _Module, body: ast.AST, call: ast.Call) -> Iterator[str]:
    """Kinds of a custom object: the one in the call, else those that its method is given."""
    given = next((it.value for it in call.keywords if it.arg == "kind"), call.args[0])
    match given:
        case ast.Constant(value=str() as kind):
            yield kind
        case ast.JoinedStr(values=[*_, ast.Constant(value=str() as end)]):
            yield end.rpartition(":")[2]
        case ast.Name(id=name) if name in module.constants:
            yield module.constants[name]
        case _:
            makers = [it for it in ast.walk(body) if isinstance(it, ast.FunctionDef)]
            (maker,) = (it for it in makers if call in ast.walk(it) and "kind" in _parameters(it))
            for it in ast.walk(body):
                if isinstance(it, ast.Call) and ast.unparse(it.func) == f"self.{maker.name}":
                    yield str(ast.literal_eval(it.args[0]))


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [it.arg for it in function.args.args]


def _targets(it: ast.Assign | ast.AnnAssign) -> Iterator[ast.Attribute]:
    for target in it.targets if isinstance(it, ast.Assign) else [it.target]:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        yield from (one for one in parts if isinstance(one, ast.Attribute))


def _said(component: type[Component]) -> str:
    """The first sentence of its module."""
    text = ast.get_docstring(_module(component.__module__).tree) or ""
    return " ".join(text.split("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def _rows() -> Iterator[str]:
    yield table_row("component", "what it is", "makes", "needs", "arguments", "gives")
    yield table_row(*["---"] * 6)
    for name, component in public_components().items():
        required, optional = arguments(component)
        made = "; ".join(
            _SDKS[sdk][0] + ", ".join(f"`{_SDKS[sdk][1]}{it}`" for it in types)
            for sdk, types in makes(component).items()
        )
        more = f"; {optional} more have a default" if optional else ""
        yield table_row(
            f"`{name}`",
            _said(component),
            made,
            needs(component),
            f"{', '.join(f'`{it}`' for it in required)}{more}",
            ", ".join(f"`{it}`" for it in gives(component)),
        )


def _others() -> Iterator[str]:
    """Public names that are neither a component nor its arguments."""
    own = public_components()
    taken = {*own, *(f"{it}Args" for it in own)}
    public = [it for it in dir(components) if not it.startswith("_")]
    ours = [it for it in public if _is_ours(getattr(components, it))]
    yield ", ".join(f"`{it}`" for it in sorted(ours) if it not in taken)


def _is_ours(value: object) -> bool:
    return str(getattr(value, "__module__", "")).startswith("components.")


def page(text: str) -> str:
    """The page with what stands between its markers written again."""
    for name, lines in (("components", _rows()), ("others", _others())):
        before, _, after = text.split(_MARKERS[name])
        table = "\n".join(lines)
        text = f"{before}{_MARKERS[name]}\n\n{table}\n\n{_MARKERS[name]}{after}"
    return text


def main(arguments: Sequence[str]) -> int:
    remedy = "docs/components.md is not what the code says; nearest: make inventory"
    return write_or_check(PAGE, page(PAGE.read_text(encoding="utf-8")), arguments, remedy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
