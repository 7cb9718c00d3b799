"""Where the sandbox refuses something: statements that raise a refusal or hand out a reason.

A reason is text that a function yields, or returns where it can return nothing instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parent.parent
SANDBOX = ROOT / "sandbox"
FILES = (
    "kube/*.py",
    *(
        f"sandbox/{it}/**/*.py"
        for it in ("cloud", "gke", "kube", "live_kube", "memory_kube", "providers")
    ),
)
_ERRORS = {"CloudError", "KubeError", "_AnswerError", "_refusal", "_refused", "invalid"}
# What is caught and raised again in other words was refused elsewhere.
_REFUSED_ELSEWHERE = {"ApiError", "KubeError"}
_FINDINGS = {"Finding", "Missing", "tuple[str, str]", "Failure"}
_REASONS = {"str", "Problem | None"}
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A statement that refuses; `function` has its class in front, `words` is its source."""

    module: str
    function: str
    words: str


def refusals() -> Iterator[Refusal]:
    for pattern in FILES:
        for file in sorted(ROOT.glob(pattern)):
            yield from in_module(
                file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
            )


def in_module(module: str, source: str) -> Iterator[Refusal]:
    for name, function in _functions(ast.parse(source), ""):
        for node in _statements(function):
            if _refuses(node, function):
                yield Refusal(module=module, function=name, words=ast.unparse(node))


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, _Function]]:
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _functions(node, prefix)
            continue
        if not isinstance(node, ast.ClassDef):
            yield f"{prefix}{node.name}", node
        yield from _functions(node, f"{prefix}{node.name}.")


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function and in none inside of it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(child, ast.ExceptHandler) and _name(child.type) in _REFUSED_ELSEWHERE:
            yield from (it for it in _statements(child) if not isinstance(it, ast.Raise))
            continue
        yield child
        yield from _statements(child)


def _refuses(node: ast.AST, function: _Function) -> bool:
    match node:
        case ast.Raise(exc=ast.Call(func=name)):
            return _name(name) in _ERRORS
        case ast.Yield(value=value):
            what = _returned(function).removeprefix("Iterator[").removesuffix("]")
            return what in _FINDINGS or (what == "str" and _is_text(value))
        case ast.Return(value=value):
            says_nothing = _returned(function) in _REASONS and any(
                map(_is_empty, ast.walk(function))
            )
            return says_nothing and _is_text(value)
        case _:
            return False


def _returned(function: _Function) -> str:
    return ast.unparse(function.returns) if function.returns else ""


def _is_empty(node: ast.AST) -> bool:
    """Whether it can return no reason."""
    if not isinstance(node, ast.Return):
        return False
    ways = (
        [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
    )
    return any(isinstance(way, ast.Constant) and way.value in ("", None) for way in ways)


def _is_text(node: ast.AST | None) -> bool:
    """Whether it holds words, not a name alone."""
    parts = ast.walk(node) if isinstance(node, ast.JoinedStr | ast.Tuple | ast.IfExp) else [node]
    return any(isinstance(it, ast.Constant) and " " in str(it.value) for it in parts)


def _name(node: ast.AST | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
