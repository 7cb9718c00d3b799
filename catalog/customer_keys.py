"""Inputs that take a customer's key in Cloud KMS, and whose identity uses it there."""

from collections.abc import Iterator, Mapping
from typing import Any

from .table import Fact, Table, load_table

ROLE = "roles/cloudkms.cryptoKeyEncrypterDecrypter"


class KeyService(Fact):
    """A service that encrypts with the key. `denied` is its answer while its identity lacks the
    role, and `answer` who quotes that."""

    account: str
    encrypts: str
    source: str
    code: str
    denied: str
    answer: str = ""


class CustomerKeysTable(Table):
    """`keys` has by type of resource and path of an input the API of the service that uses the key;
    `unused` why no stack sets an input."""

    services: dict[str, KeyService]
    keys: dict[str, dict[str, str]]
    unused: dict[str, dict[str, str]]

    def given(self, token: str, inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Keys that a resource is given, each with the API of the service that uses it."""
        for path, api in self.keys.get(token, {}).items():
            found: Any = inputs
            for part in path.split("."):
                found = found.get(part) if isinstance(found, Mapping) else None
            if isinstance(found, str) and found:
                yield found, api


def customer_keys() -> CustomerKeysTable:
    return load_table(CustomerKeysTable, "customer_keys")
