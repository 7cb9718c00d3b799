"""What a stack does of each recommendation of the CIS benchmark for GKE."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from .table import Fact, Table


class State(StrEnum):
    """Who meets a recommendation: every stack, one with `hardened: true`, one with a key of its
    own, GKE alone, which lets nobody set it, or none."""

    MET = "met"
    HARDENED = "hardened"
    KEY = "key"
    GKE = "gke"
    NOT = "not"


class Recommendation(Fact):
    """`by` are the keys of the config that decide; `sent` are inputs by type and path, None one
    that is not sent; `setting` is the kubelet's own name of what GKE sets."""

    what: str
    state: State
    by: str = ""
    sent: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    setting: str = ""
    why: str


class CisGkeTable(Table):
    """Recommendations by number; `newer` are versions of the benchmark that the rows are not of."""

    version: str
    newer: tuple[str, ...]
    rows: dict[str, Recommendation]
