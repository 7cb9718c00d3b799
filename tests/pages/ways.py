"""How each command of a page is tried, and what stands in the place of a page's own values."""

from __future__ import annotations

import re
from enum import Enum

from tests.pages.blocks import Command
from tests.pages.parsed import GRAMMAR

# What a page leaves to the reader, and what a reader of these tests puts there.
VALUES = {
    "PROJECT_NUMBER": "123456789012",
    "PROJECT": "sandbox-project",
    "NUMBER": "123456789012",
    "RESERVATION": "verl-b200",
    "STATE_BUCKET": "my-state",
    "OTHER_PROJECT": "their-project",
    "REPOSITORY": "images",
    "BUCKET": "my-bucket",
    "LOGS": "my-logs",
    "REGION": "us-central1",
    "REPOSITORY_ID": "1234",
    "OWNER_ID": "5678",
    "MEMBER": "user:me@example.com",
    "DIRECTORY": "saved",
    "NAME": "dev",
}
_VALUE = re.compile(rf"(?<![A-Z_])({'|'.join(VALUES)})(?![A-Z_])")
# What our own `aistack` does with no cluster; for all else it asks one, which is `tests/kube`'s.
WITHOUT_CLUSTER = ("calibrate", "fit", "review", "sandbox", "schema")


def fill_in(text: str) -> str:
    """With the reader's values for what a page leaves open."""
    return _VALUE.sub(lambda found: VALUES[found[1]], text)


class Way(Enum):
    """How a command is tried."""

    run = "run"
    engine = "through the engine"
    written = "done by the reader"
    parsed = "parsed"
    cluster = "read here, run on a real control plane"


def way_of(command: Command) -> Way:
    program, words = command.program, command.words
    if command.text.startswith("export KUBECONFIG=") or words[1:3] == ["sandbox", "kube"]:
        return Way.cluster
    if words[1:3] == ["sandbox", "serve"]:
        # It stays up; tests/own_program runs it.
        return Way.parsed
    if program == "aistack":
        if words[1] == "recover":
            return Way.engine
        return Way.run if words[1] in WITHOUT_CLUSTER else Way.cluster
    if program == "vi":
        return Way.written
    if program == "pulumi":
        return Way.parsed if words[1] in ("login", "install") else Way.engine
    return Way.parsed if program in GRAMMAR or program == "make" else Way.run
