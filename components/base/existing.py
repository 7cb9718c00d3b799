"""Reading a part that exists already, and saying which it is where it cannot be read. Pure."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

_Found = TypeVar("_Found")
_First = TypeVar("_First")
# hashicorp/terraform-provider-google-beta google-beta/transport/transport.go:283,
# HandleDataSourceNotFoundError, 93c65b2d, 2026-08-21: a network, a subnetwork, a cluster and a
# repository say "ID not found", a Lustre instance the same without its ID, which is gone by then,
# and a bucket and a disk image (services/compute/data_source_google_compute_image.go, 332d9894)
# hand on the API's own 404.
_NOT_THERE = re.compile(r"\bnot found\b|\bnotFound\b")
# In front of what the provider says, the SDK and the engine each say which function it was.
_CALLERS = re.compile(
    r"^.*returned an error: (?:invoking [^ ]+: )?(?:\d+ errors? occurred:\W*)?", re.S
)


@dataclass(frozen=True, kw_only=True)
class Part:
    """`kind` is the key that names it in a config, `place` where it was looked for, and `listing`
    and `options` are of the command of gcloud's that shows which there are."""

    kind: str
    name: str
    place: str
    listing: str
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def command(self) -> str:
        words = [f"--{name}={value}" for name, value in self.options.items()]
        return f"gcloud {self.listing} {shlex.join(words)}"


class ExistingPartError(ValueError):
    """A part that is not there, or that may not be read. `part` says which; the message has its
    name, the place and what to do."""

    def __init__(self, part: Part, message: str) -> None:
        super().__init__(message)
        self.part = part


def read_part(part: Part, read: Callable[[], _Found]) -> _Found:
    """What the provider's function says of the part. Raises ExistingPartError.

    The functions run in a preview, too, so that is where a missing part is told.
    """
    # Errors of the connection do not come here: pulumi/pulumi sdk/python/lib/pulumi/runtime/
    # invoke.py, _invoke, 1b594989, 2026-08-21; seen with 3.256 on the sandbox.
    try:
        return read()
    except Exception as error:
        # The SDK raises bare exceptions, whatever went wrong.
        reason = " ".join(_CALLERS.sub("", str(error)).split())
    if _NOT_THERE.search(reason):
        raise ExistingPartError(
            part,
            f'"{part.name}" is not in {part.place}; nearest: one that `{part.command}` shows',
        )
    raise ExistingPartError(
        part, f'"{part.name}" in {part.place} could not be read: {reason or "no reason was given"}'
    )


def first(blocks: Sequence[_First] | None) -> _First | None:
    """The one block of a list, which is how functions give back what a resource has once
    (pulumi-gcp 10.2.0, container.GetClusterResult, storage.GetBucketResult, 2026-11-22)."""
    return blocks[0] if blocks else None


def flag(blocks: Sequence[Any] | None, name: str = "enabled") -> bool:
    """Whether a block is there and says yes."""
    block = first(blocks)
    return bool(block is not None and getattr(block, name))


def relative(reference: str) -> str:
    """`projects/...` of a self link, or of what is in that form already."""
    return reference[at:] if (at := reference.find("projects/")) > 0 else reference
