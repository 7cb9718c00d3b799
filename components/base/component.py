"""What all components have in common: arguments that are refused by name before anything is made,
the APIs that they need, and a provider for objects in a cluster."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ForwardRef, get_args, get_origin

import pulumi

from .arguments import ArgumentError

# Any kind: a provider is asked for by its package.
_ANY_OBJECT = "kubernetes:core/v1:Secret"


class Component(pulumi.ComponentResource):
    """`apis` are Google's APIs that a component of the class needs. One that is `in_cluster` makes
    Kubernetes objects, and takes no cluster that happens to be the default."""

    _apis: tuple[str, ...] = ()
    _in_cluster = False

    def __init_subclass__(cls, apis: Sequence[str] = (), in_cluster: bool = False) -> None:
        super().__init_subclass__()
        cls._apis = (*cls._apis, *apis)
        cls._in_cluster = cls._in_cluster or in_cluster

    def __init__(self, token: str, name: str, args: object, opts: pulumi.ResourceOptions) -> None:
        owner = f"{type(self).__name__} {name}"
        check_arguments(args, owner)
        self._check_apis(args, owner)
        super().__init__(token, name, None, opts)
        if self._in_cluster and self.get_provider(_ANY_OBJECT) is None:
            raise ArgumentError(
                "opts",
                "no Kubernetes provider, so its objects would be in whatever cluster kubectl has "
                "as its current one; nearest: "
                "opts=pulumi.ResourceOptions(provider=cluster.kubernetes)",
                owner,
            )

    @classmethod
    def is_in_cluster(cls) -> bool:
        """Whether it makes Kubernetes objects."""
        return cls._in_cluster

    @classmethod
    def required_apis(cls, args: object = None) -> tuple[str, ...]:
        """Short names, as `ProjectApis` has them, of what any component of the class needs, and of
        what these `args` need besides."""
        further: Sequence[str] = getattr(args, "further_apis", ())
        return (*cls._apis, *further)

    def _check_apis(self, args: object, owner: str) -> None:
        """The project's APIs, where a component is given them, have those that it needs."""
        apis: Any = getattr(args, "apis", None)
        if apis is None:
            return
        for one in self.required_apis(args):
            if one not in apis.services:
                raise ArgumentError(
                    "apis",
                    f"{one}.googleapis.com is none of {', '.join(apis.services)}, and the "
                    f'component needs it; nearest: "{one}" in services of ProjectApis',
                    owner,
                )


def check_arguments(args: object, owner: str = "") -> None:
    """Raises ArgumentError for arguments that cannot be meant, of `owner`."""
    try:
        _check(args)
    except ArgumentError as error:
        raise error.of(owner) from None


def _check(args: Any) -> None:
    for one in fields(args):
        _check_value(one.name, one.type, getattr(args, one.name))
    check = getattr(args, "check", None)
    if check is not None:
        check()


def _check_value(path: str, hint: Any, value: Any) -> None:
    """Arguments that are parts of others, and values that are known too late."""
    if isinstance(value, pulumi.Output | Awaitable):
        if not _may_be_later(hint):
            raise ArgumentError(
                path,
                "an Output is known only while resources are made, and this one when the component "
                "is built: it is part of names, or decides what is made; nearest: a plain value",
            )
    elif isinstance(value, Mapping):
        for key, it in value.items():
            _check_value(f'{path}["{key}"]', _of_items(hint), it)
    elif isinstance(value, list | tuple):
        for place, it in enumerate(value):
            _check_value(f"{path}[{place}]", _of_items(hint), it)
    elif is_dataclass(value) and not isinstance(value, type):
        try:
            _check(value)
        except ArgumentError as error:
            raise error.below(path) from None


def _may_be_later(hint: Any) -> bool:
    """Whether a field is a pulumi.Input, whose Output is a reference to come (pulumi/pulumi
    sdk/python/lib/pulumi/output.py, 3.272)."""
    if isinstance(hint, str) or hint is Any:
        return True
    if isinstance(hint, ForwardRef):
        return hint.__forward_arg__.startswith("Output")
    return get_origin(hint) is pulumi.Output or any(map(_may_be_later, _choices(hint)))


def _choices(hint: Any) -> tuple[Any, ...]:
    """Members of a union."""
    name = getattr(get_origin(hint), "__name__", "")
    return get_args(hint) if name in ("Union", "UnionType") else ()


def _of_items(hint: Any) -> Any:
    """What a container has, by its annotation; where the whole may be later, so may its parts."""
    if _may_be_later(hint):
        return Any
    for one in (hint, *_choices(hint)):
        origin = get_origin(one)
        if isinstance(origin, type) and issubclass(origin, Mapping | Sequence):
            return get_args(one)[-1] if get_args(one)[-1] is not ... else get_args(one)[0]
    return Any
