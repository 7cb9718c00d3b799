"""Puts resources that belong to no stack into the simulated cloud, for stacks to stand on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from contextlib import suppress

from cli.errors import UserError
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.artifact import Repository as ImageRepository
from sandbox.cloud.reservations import ExistingResource
from sandbox.errors import CloudError
from sandbox.providers.schema import GcpSchema
from stacks.parts.images.repositories import Repository


def add_existing(cloud: Cloud, wanted: Iterable[ExistingResource]) -> None:
    """Those that are there already stay as they are. Raises UserError for one that Google Cloud
    would not make."""
    schema = GcpSchema.load()
    for number, one in enumerate(wanted):
        field = f"--project: existing[{number}]"
        if one.type not in KINDS:
            near = difflib.get_close_matches(one.type, KINDS, n=1)
            hint = f"; nearest: {near[0]}" if near else ""
            raise UserError(f'{field}.type: "{one.type}" is not a type that the sandbox has{hint}')
        failure = next(iter(schema.check(one.type, one.inputs)), None)
        if failure is not None:
            raise UserError(f"{field}.inputs.{failure.reason}")
        try:
            cloud.add_existing(one.type, one.inputs)
        except CloudError as error:
            raise UserError(f"{field}: {error}") from None


def have_repositories(cloud: Cloud, wanted: Iterable[Repository]) -> None:
    """With what was pushed into each. One that Google Cloud would not make is not there."""
    for it in wanted:
        inputs = {"project": it.project, "location": it.location, "repositoryId": it.name}
        with suppress(CloudError):
            cloud.add_existing(ImageRepository.token, {**inputs, "format": "DOCKER"})
