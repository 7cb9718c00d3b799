"""The verbs of `aistack` by what people want, and the command lines that it hands over to."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from typer.core import TyperGroup

# Each is `python -m MODULE`, too; it is loaded when it is asked for.
HANDED_OVER: Mapping[str, str] = {
    "sandbox": "sandbox.__main__",
    "review": "review.__main__",
    "recover": "recovery.__main__",
    "schema": "stacks.__main__",
}
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Try": {
        "sandbox": "Preview, up, status and destroy with no cloud account",
        "fit": "Say whether jobs fit their accelerators' memory",
    },
    "Deploy": {
        "review": "Show what a change does to every stack of a commit",
        "recover": "Put a state in order after a run that was killed",
        "calibrate": "Make a table of durations of your own runs",
        "schema": "Write the schema of configs, for editors",
    },
    "Work": {
        "submit": "Run a script of yours, or a job of the stack again",
        "jobs": "List jobs, Ray clusters and servers",
        "logs": "Print what the ranks of a job say",
        "wait": "Wait until a job has ended, or a server can be used",
        "checkpoints": "Print a job's checkpoints, or copy one",
        "shell": "Run a command in a rank of a job, or a shell",
        "tunnel": "Lead a port of this machine to a service",
        "dashboard": "Lead a port of this machine to Ray's dashboard",
    },
    "Understand": {
        "why": "Say what is in a job's way, and what to do about it",
        "snapshot": "Write what `why` looks at into a file",
        "events": "Show what the cluster said of a job",
        "status": "Show pools, queues, teams, storage, and what is ready",
    },
    "Clean up": {
        "cancel": "Stop a job for good",
        "work": "List what people have that a destroy would end",
    },
}
_DISTRIBUTION = "gke-ai-stacks"


class Sections(TyperGroup):
    """Help in sections, a line for each verb, with those that are handed over."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for section, verbs in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(list(verbs.items()))


def handed_over() -> int | None:
    """Run the command line that the first word names, if it is another one; its exit code."""
    module = HANDED_OVER.get(next(iter(sys.argv[1:]), ""))
    if module is None:
        return None
    del sys.argv[1]
    return int(import_module(module).main())


def own_version() -> str:
    """Of the package as it is installed; a folder that is run without has none."""
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return "not installed"
