"""The public face of the components: its names, and that they are all that a program needs."""

import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest

import components
from tests.conftest import ROOT

_ALL = "__all__"
NAMES: list[str] = getattr(components, _ALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(components, name).__name__ == name
    assert name in dir(components)


def test_a_name_that_is_not_public_is_none_of_the_package() -> None:
    wrong = "Bukcet"
    with pytest.raises(AttributeError, match=r"has no attribute 'Bukcet'$"):
        getattr(components, wrong)


def _annotations(kind: type) -> Iterator[tuple[str, Any]]:
    """Public attributes and properties of a class, with what they are."""
    for each in kind.__mro__:
        yield from inspect.get_annotations(each).items()
        for name, found in vars(each).items():
            if isinstance(found, property):
                yield name, inspect.get_annotations(found.fget or each).get("return")
            if name == "__init__" and inspect.isfunction(found):
                yield "args", inspect.get_annotations(found).get("args")


def _ours(annotation: Any) -> Iterator[type]:
    if inspect.isclass(annotation) and annotation.__module__.startswith(f"{components.__name__}."):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _ours(part)


def test_what_public_types_take_and_give_is_public_too() -> None:
    kinds = [it for it in (getattr(components, name) for name in NAMES) if inspect.isclass(it)]
    assert sum(issubclass(it, pulumi.ComponentResource) for it in kinds) > 24
    needed = {
        f"{kind.__name__}.{name}: {found.__name__}"
        for kind in kinds
        for name, annotation in _annotations(kind)
        if not name.startswith("_")
        for found in _ours(annotation)
        if found not in kinds
    }
    assert needed == set()


def test_pure_modules_load_no_cloud_sdk() -> None:
    code = (
        "import sys, components.base.cidr, components.base.naming\n"
        "print([it for it in sys.modules if it.partition('.')[0].startswith('pulumi')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
