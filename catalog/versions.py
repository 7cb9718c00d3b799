"""The version lock: what goes with which GKE, and which image and API version is used."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from catalog.gke_version import GkeVersionField
from catalog.table import Fact, Table


class ReleaseChannel(StrEnum):
    RAPID = "RAPID"
    REGULAR = "REGULAR"
    STABLE = "STABLE"
    EXTENDED = "EXTENDED"


class GpuDriver(StrEnum):
    """Which NVIDIA driver GKE installs on a GPU pool."""

    DEFAULT = "default"
    LATEST = "latest"
    DISABLED = "disabled"

    @property
    def api_value(self) -> str:
        """The value in a node pool's GPU driver installation config."""
        return "INSTALLATION_DISABLED" if self is GpuDriver.DISABLED else self.name


class Feature(Fact):
    """Something that a stack uses and that GKE has from `minimum_gke` on."""

    minimum_gke: GkeVersionField
    what: str
    source: str


class Component(Fact):
    """A controller or add-on. `version` is None where GKE chooses it; `apis` maps kind to
    apiVersion."""

    version: str | None = None
    apis: dict[str, str] = Field(default_factory=dict)
    source: str


class ContainerImage(Fact):
    """An image that a stack runs. `moving` tags change under the same name."""

    reference: str
    ray_version: str | None = None
    moving: bool = False
    source: str

    @model_validator(mode="after")
    def _tagged(self) -> Self:
        if ":" not in self.reference.rpartition("/")[2]:
            raise ValueError(f"{self.reference} names no tag, so what it runs is not fixed")
        return self


class VersionTable(Table):
    features: dict[str, Feature]
    components: dict[str, Component]
    images: dict[str, ContainerImage]
