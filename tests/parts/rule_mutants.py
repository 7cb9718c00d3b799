"""Rules with one refusing statement less, or with its condition turned round: what a test has to
notice."""

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

# What a rule ends with that is no longer held back by its condition.
BROKEN = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NameError),
    *(RuntimeError, TypeError, ValueError),
)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Where a module yields a problem, by the lines that it is on, and whether it stands in an `if`
    of its own."""

    module: ModuleType
    first: int
    last: int
    conditional: bool

    @property
    def name(self) -> str:
        return f"{self.module.__name__.removeprefix('stacks.parts.')}:{self.first}"


def statements(module: ModuleType, function: str = "") -> list[Statement]:
    """Of one function alone, if it is named."""
    tree = _tree(module)
    within = [it for it in tree.body if not function or getattr(it, "name", "") == function]
    nodes = [inner for it in within for inner in ast.walk(it)]
    ifs = {line for it in nodes if isinstance(it, ast.If) for line in _lines(it)}
    return [
        Statement(
            module=module,
            first=it.lineno,
            last=it.end_lineno or it.lineno,
            conditional=it.lineno in ifs,
        )
        for it in nodes
        if isinstance(it, ast.Expr) and _refuses(it)
    ]


@contextmanager
def without(statement: Statement) -> Iterator[None]:
    tree = _tree(statement.module)
    _Silenced(statement).visit(tree)
    with _with_code(statement.module, tree):
        yield


@contextmanager
def turned_round(statement: Statement) -> Iterator[None]:
    """Of one that is conditional."""
    tree = _tree(statement.module)
    _Turned(statement).visit(tree)
    with _with_code(statement.module, tree):
        yield


@contextmanager
def noted(module: ModuleType) -> Iterator[set[int]]:
    """The lines on which the module makes problems."""
    lines: set[int] = set()
    real = vars(module)["Problem"]

    class Noted(real):
        def __new__(cls, *args: Any, **named: Any) -> "Noted":
            lines.add(sys._getframe(1).f_lineno)
            return real.__new__(cls, *args, **named)

    vars(module)["Problem"] = Noted
    try:
        yield lines
    finally:
        vars(module)["Problem"] = real


def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def _refuses(node: ast.Expr) -> bool:
    made = node.value.value if isinstance(node.value, ast.Yield) else None
    return isinstance(made, ast.Call) and ast.unparse(made.func) == "Problem"


def _lines(node: ast.If) -> list[int]:
    """Where it makes problems, and no `if` within it."""
    return [it.lineno for it in node.body if isinstance(it, ast.Expr) and _refuses(it)]


class _Silenced(ast.NodeTransformer):
    """A generator stays one."""

    def __init__(self, statement: Statement) -> None:
        self._line = statement.first

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if node.lineno != self._line or not _refuses(node):
            return node
        return ast.copy_location(ast.parse("yield from ()").body[0], node)


class _Turned(ast.NodeTransformer):
    def __init__(self, statement: Statement) -> None:
        self._line = statement.first

    def visit_If(self, node: ast.If) -> ast.AST:
        if self._line in _lines(node):
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), deepcopy(node.test)), node.test)
        return self.generic_visit(node)


@contextmanager
def _with_code(module: ModuleType, tree: ast.Module) -> Iterator[None]:
    """Functions keep who they are, for other modules have them by now."""
    names = dict(vars(module))
    compiled = compile(ast.fix_missing_locations(tree), str(module.__file__), "exec")
    exec(compiled, names)
    found = [(it, names.get(name)) for name, it in vars(module).items()]
    functions = [
        (old, new)
        for old, new in found
        if isinstance(old, FunctionType)
        and isinstance(new, FunctionType)
        and old.__module__ == module.__name__
    ]
    before = [(old, old.__code__) for old, _ in functions]
    for old, new in functions:
        old.__code__ = new.__code__
    try:
        yield
    finally:
        for old, code in before:
            old.__code__ = code
