"""The IAM permissions that a caller needs for each thing that a stack makes, changes and reads."""

from typing import Literal, TypeAlias

from pydantic import Field

from .table import Fact, Table, load_table

Operation: TypeAlias = Literal["create", "read", "update", "delete"]


class Methods(Fact):
    """The permissions of methods of Google's APIs; `own_reading`: nobody says so but us."""

    source: str
    own_reading: bool = False
    permissions: dict[str, tuple[str, ...]]


class Calls(Fact):
    """The methods that the provider calls for a type; `wait` goes with each change."""

    create: tuple[str, ...] = ()
    read: tuple[str, ...] = Field(min_length=1)
    update: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    wait: tuple[str, ...] = ()

    def of(self, operation: Operation) -> tuple[str, ...]:
        """What is made or changed is read, too."""
        if operation == "read":
            return self.read
        found = getattr(self, operation) + self.wait
        return found if operation == "delete" else found + self.read


class PermissionTable(Table):
    """`without_cloud`: packages of types that no cloud and no cluster ever hears of."""

    without_cloud: dict[str, str]
    methods: tuple[Methods, ...]
    types: dict[str, Calls]
    dns_endpoint: tuple[str, ...]
    object_verbs: dict[Operation, tuple[str, ...]]
    objects: dict[str, str]
    release: tuple[str, ...]

    def needed(self, resource_type: str, operation: Operation) -> tuple[str, ...]:
        """What the operation itself takes comes first; nothing for a type that no cloud hears of.
        Raises LookupError for a type that nobody has looked up."""
        if resource_type.partition(":")[0] in self.without_cloud:
            return ()
        if resource_type.startswith("kubernetes:"):
            return self._of_objects(resource_type.rpartition(":")[2], operation)
        if resource_type not in self.types:
            raise LookupError(f"no permission is known for {resource_type}")
        known = {name: it for group in self.methods for name, it in group.permissions.items()}
        methods = self.types[resource_type].of(operation)
        return tuple(dict.fromkeys(it for method in methods for it in known[method]))

    def _of_objects(self, kind: str, operation: Operation) -> tuple[str, ...]:
        named = self.objects.get(kind, "thirdPartyObjects")
        resources = self.release if kind == "Release" else (named,)
        verbs = self.object_verbs[operation]
        return tuple(f"container.{resource}.{verb}" for resource in resources for verb in verbs)


def permission_table() -> PermissionTable:
    return load_table(PermissionTable, "permissions")
