"""Provider plugins: where their archives are, and the checksums by which they are installed."""

from typing import Annotated

from pydantic import Field

from .table import Fact, Table

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
# As in the archives' names: the operating system and the processor.
System = Annotated[str, Field(pattern=r"^(linux|darwin)-(amd64|arm64)$")]


class ProviderPlugin(Fact):
    """A plugin whose archives are assets of its repository's releases."""

    repository: str
    checksums: dict[str, dict[System, Sha256]]

    def checksum(self, version: str, system: str) -> str | None:
        return self.checksums.get(version, {}).get(system)


class PluginTable(Table):
    plugins: dict[str, ProviderPlugin]
