"""What the simulated project has from the start: reservations, which are bought outside a stack,
the bucket names that others hold, keys and who may use them, and resources that belong to no
stack."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError, field_validator

from catalog.customer_keys import customer_keys
from catalog.strict_yaml import read_yaml
from catalog.table import nearest_names
from cli.errors import UserError

PACKAGED = Path(__file__).parent.parent / "data" / "project.yaml"
_REFERENCE = re.compile(
    r"(?:projects/(?P<project>[^/]+)/reservations/)?(?P<name>[^/]+)"
    r"(?:/reservationBlocks/(?P<block>[^/]+)(?:/reservationSubBlocks/(?P<sub_block>[^/]+))?)?"
)


@dataclass(frozen=True)
class ReservationReference:
    """What a node pool's reservation affinity names; `project` None is the pool's own."""

    name: str
    project: str | None = None
    block: str | None = None
    sub_block: str | None = None

    @staticmethod
    def parse(text: str) -> ReservationReference | None:
        """None where the text has no form that the API takes."""
        found = _REFERENCE.fullmatch(text)
        return ReservationReference(**found.groupdict()) if found else None


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Reservation(_Given):
    """`count` machines of one type in one zone; `blocks` maps each block to its sub-blocks.

    `project` is the owner of one that is shared with the stack's project.
    """

    project: str | None = None
    zone: str
    machine_type: str
    count: PositiveInt
    blocks: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class ExistingResource(_Given):
    """A resource of no stack. `inputs` are what the provider's resource `type` takes, with their
    project."""

    type: str
    inputs: dict[str, Any]


class Reservations(_Given):
    """The reservations of the project by name, the bucket names taken in the whole world, the Cloud
    KMS keys by their names, each with the services whose identities may use it, and what exists
    already, each after what it refers to."""

    source: str | None = None
    date: datetime.date | None = None
    reservations: dict[str, Reservation] = Field(default_factory=dict)
    taken_bucket_names: frozenset[str] = frozenset()
    keys: dict[str, frozenset[str]] = Field(default_factory=dict[str, frozenset[str]])
    existing: tuple[ExistingResource, ...] = ()

    @field_validator("keys")
    @classmethod
    def _known_services(cls, keys: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        known = customer_keys().services
        for key, services in keys.items():
            for one in sorted(services - known.keys()):
                near = nearest_names(one, known, ", ".join(known))
                raise ValueError(f'{key}: "{one}" is no service that uses keys; nearest: {near}')
        return keys

    @staticmethod
    def load(path: Path | None = None) -> Reservations:
        """Those of a file, or without one those that come with the sandbox."""
        file = path or PACKAGED
        try:
            return Reservations.model_validate(read_yaml(file) or {})
        except FileNotFoundError:
            raise UserError(f"--project: {file}: there is no such file") from None
        except (ValidationError, yaml.YAMLError) as error:
            raise UserError(f"--project: {file}: {error}") from None
