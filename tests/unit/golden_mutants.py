"""Components and builders with one literal changed, or one condition turned round: what a golden, a
variant or an effect has to notice.

`python -m tests.unit.golden_mutants components.node_pool` prints those that nothing notices.
"""

import ast
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from stacks.config import validate
from tests.conftest import changed
from tests.programs import WITH_ALL_SECRETS
from tests.unit import golden_effects, goldens
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES, bring_scripts
from tests.unit.golden_variants import PRESETS, VARIANTS

_FOLDER = Path(tempfile.mkdtemp())
Record = dict[str, Any]
Build = Callable[[], Record]


class Mutant(NamedTuple):
    module: ModuleType
    number: int
    line: int
    said: str
    at_import: bool


class _Changed(ast.NodeTransformer):
    """The node of this number, of those that can be changed; all of them are noted."""

    def __init__(self, number: int = -1) -> None:
        self._number = number
        self._in_function = 0
        self.found: list[tuple[int, str, bool]] = []

    def _is_it(self, node: ast.expr, becomes: str) -> bool:
        self.found.append((node.lineno, f"{ast.unparse(node)} -> {becomes}", not self._in_function))
        return len(self.found) - 1 == self._number

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "check":
            # What is refused has rows of its own.
            return node
        self._in_function += 1
        node.body = [self.visit(it) for it in node.body]
        self._in_function -= 1
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(it) for it in node.body]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Outputs are attributes, which others read."""
        registers = isinstance(node.func, ast.Attribute) and node.func.attr == "register_outputs"
        return node if registers else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        if self._is_it(node, "with an x"):
            node.values.append(ast.Constant("x"))
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value: Any = node.value
        if value is None or value is Ellipsis:
            return node
        becomes = (
            not value if isinstance(value, bool) else value + ("x" if isinstance(value, str) else 1)
        )
        return (
            ast.copy_location(ast.Constant(becomes), node)
            if self._is_it(node, repr(becomes))
            else node
        )

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._turned(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._turned(node)

    def _turned(self, node: Any) -> ast.AST:
        node = self.generic_visit(node)
        if self._is_it(node.test, "not"):
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        return node


def mutants(module: ModuleType) -> list[Mutant]:
    noting = _Changed()
    noting.visit(_tree(module))
    return [Mutant(module, at, *it) for at, it in enumerate(noting.found)]


def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


@contextmanager
def in_place(mutant: Mutant) -> Iterator[None]:
    """Functions and classes keep who they are, for other modules have them by now; a constant is
    another in each module that has it."""
    module = mutant.module
    tree = ast.fix_missing_locations(_Changed(mutant.number).visit(_tree(module)))
    names: dict[str, Any] = {**vars(module), "__name__": module.__name__}
    # A dataclass looks for its module's names.
    exec(compile(tree, str(module.__file__), "exec"), names)
    undo: list[Callable[[], Any]] = []
    for name, old in list(vars(module).items()):
        if not name.startswith("__") and old is not names[name]:
            _replace(module, old, names[name], undo)
    try:
        yield
    finally:
        for it in reversed(undo):
            it()


def _replace(module: ModuleType, old: Any, new: Any, undo: list[Callable[[], Any]]) -> None:
    if isinstance(old, type):
        members = list(vars(old).items()) if old.__module__ == module.__name__ else []
        for name, it in members:
            if name in vars(new):
                _replace_member(old, name, it, vars(new)[name], undo)
    elif (function := _function(old)) and (other := _function(new)):
        _replace_code(function, other, undo)
    else:
        _replace_constant(old, new, undo)


def _replace_constant(old: Any, new: Any, undo: list[Callable[[], Any]]) -> None:
    ours = [it for it in sys.modules.values() if it.__name__.startswith(("components", "stacks"))]
    for module in ours:
        for name in [name for name, it in vars(module).items() if it is old]:
            undo.append(partial(setattr, module, name, old))
            setattr(module, name, new)


def _replace_member(
    owner: type, name: str, old: Any, new: Any, undo: list[Callable[[], Any]]
) -> None:
    if (function := _function(old)) and (other := _function(new)):
        _replace_code(function, other, undo)
    elif (
        not isinstance(old, type)
        and type(old) in (str, int, float, bool, tuple, dict)
        and old != new
    ):
        undo.append(partial(setattr, owner, name, old))
        setattr(owner, name, new)


def _function(it: Any) -> FunctionType | None:
    for name in ("fget", "func", "__func__", "__wrapped__"):
        it = getattr(it, name, None) or it if not isinstance(it, FunctionType) else it
    return it if isinstance(it, FunctionType) else None


def _replace_code(old: FunctionType, new: FunctionType, undo: list[Callable[[], Any]]) -> None:
    for name in ("__defaults__", "__kwdefaults__", "__code__"):
        if name == "__code__" and len(old.__code__.co_freevars) != len(new.__code__.co_freevars):
            continue
        undo.append(partial(setattr, old, name, getattr(old, name)))
        setattr(old, name, getattr(new, name))


def builds() -> dict[str, Build]:
    """Presets first, which are recorded whole."""
    found: dict[str, Build] = {
        it: partial(goldens.record_of_preset.__wrapped__, it) for it in PRESETS
    }
    found |= {it: partial(goldens.record_of_variant.__wrapped__, it) for it in VARIANTS}
    found |= {f"base {it}": partial(goldens.record_of, BASES[it], _FOLDER) for it in BASES}
    for base, numbers in golden_effects.batches():
        found |= _at_once(base, [CHANGES[it][1] for it in numbers])
    return found


def _at_once(base: str, changes: list[dict[str, Any]]) -> dict[str, Build]:
    """Each half, where they are refused together."""
    config = BASES[base]
    for it in changes:
        config = changed(config, **it)
    try:
        validate(config, secrets_set=WITH_ALL_SECRETS)
    except ValueError:
        return _at_once(base, changes[::2]) | _at_once(base, changes[1::2])
    name = f"{base}, {golden_effects.title(changes[0])}"
    return {name: partial(goldens.record_of, config, _FOLDER)}


def near(name: str) -> str | None:
    """What its golden says its difference from."""
    if name in VARIANTS:
        return VARIANTS[name].near
    return None if name in PRESETS or name.startswith("base ") else f"base {name.split(', ')[0]}"


BUILDS = builds()


def traced(build: Build, files: frozenset[str]) -> tuple[Record, frozenset[tuple[str, int]]]:
    lines: set[tuple[str, int]] = set()

    def local(frame: FrameType, event: str, _: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def called(frame: FrameType, event: str, _: Any) -> Any:
        return local(frame, event, None) if frame.f_code.co_filename in files else None

    sys.settrace(called)
    try:
        return build(), frozenset(lines)
    finally:
        sys.settrace(None)


class Judge:
    def __init__(self, modules: list[ModuleType]) -> None:
        files = frozenset(str(it.__file__) for it in modules)
        self._made = {name: traced(it, files) for name, it in BUILDS.items()}

    def notices(self, mutant: Mutant) -> str | None:
        """Which golden does."""
        place = (str(mutant.module.__file__), mutant.line)
        lines = {name: it for name, (_, it) in self._made.items()}
        names = [it for it in BUILDS if mutant.at_import or self._runs(lines[it], mutant, place)]
        with ExitStack() as stack:
            try:
                stack.enter_context(in_place(mutant))
            except Exception:
                return "the import"
            built = cache(self._built)
            for name in [it for it in names if it in PRESETS][:2]:
                if built(name) != self._made[name][0]:
                    return name
            for name in [it for it in names if not it.startswith("base ")]:
                if self._differs(name, built):
                    return name
        return None

    def _runs(self, lines: frozenset[tuple[str, int]], mutant: Mutant, place: Any) -> bool:
        """Lines of an expression are noted where its statements begin."""
        return any(file == place[0] and abs(line - place[1]) <= 3 for file, line in lines)

    def _built(self, name: str) -> Any:
        try:
            return BUILDS[name]()
        except Exception as error:
            return repr(error)

    def _differs(self, name: str, built: Callable[[str], Any]) -> bool:
        made, before = built(name), self._made[name][0]
        if made == before:
            return False
        if isinstance(made, str) or (of := near(name)) is None:
            return True
        root, root_before = built(of), self._made[of][0]
        if root == root_before or isinstance(root, str):
            return True
        now, then = (
            goldens.differing(goldens.leaves_by_name(one), goldens.leaves_by_name(other))
            for one, other in ((root, made), (root_before, before))
        )
        return now != then


def main(names: list[str]) -> None:
    bring_scripts(_FOLDER)
    modules = [import_module(it) for it in names]
    judge = Judge(modules)
    for module in modules:
        its = mutants(module)
        unnoticed = 0
        for it in its:
            if judge.notices(it) is None:
                unnoticed += 1
                print(f"  {it.line}: {it.said}", flush=True)
        print(f"{module.__name__}: {len(its)} mutants, {unnoticed} unnoticed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
