"""What the README and its pages show of runs: pictures, figures and answers of `aistack why`.
`make inventory` writes it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from contextlib import redirect_stdout

from aistack.tables import show_verdict
from aistack.why.verdict import verdict
from cli.project import stack_names
from review.flowchart import picture
from tests.stacks import regions
from tests.stacks.conftest import Sandbox
from tests.stacks.page_figures import Summary, first_up, spoken, spread
from tests.unit.test_why_reports import REPORTS

# Whose pictures are shown.
SHOWN = "b200-lustre"
ITS_PAGE = "docs/b200-lustre.md"
FIGURES = "docs/first-step.md"
# The README's boxes, by class of component.
AREAS = {
    "ClusterNetwork": "Project and network",
    "GkeCluster": "Cluster",
    "ImageMirror": "Project and network",
    "ImagePreload": "Machines",
    "LustreInstance": "Lustre",
    "LustreVolume": "Lustre",
    "MonitoringDashboard": "Project and network",
    "NcclRdmaInstaller": "Machines",
    "NodePool": "Machines",
    "NodeServiceAccount": "Project and network",
    "PrivateServiceAccess": "Project and network",
    "ProjectApis": "Project and network",
    "RayCluster": "Work",
    "RayJob": "Work",
    "RayLaunchers": "Work",
    "ResourceClaimTemplate": "Work",
    "TokenSecret": "Work",
}
# One that people reported, which the README shows.
REPORT = "a training that hangs, with an evaluation every half hour"
# Those of the page of `why`, in the order of a job's life.
WAITS_PAGE = "docs/my-job-waits.md"
WAITS = (
    "quota that is free, and nobody whom it could be kept for",
    "GCE out of resources",
    "GCE quota exceeded",
    "a pool with its most nodes",
    "GPUs all taken",
    "more GPUs in a pod than any machine has",
    "image: may not read it",
    "a bucket that is not there",
    "memory, of a job of the stack",
    "spot",
    "memory of a GPU",
    "a collective operation",
)
_QUOTED = re.compile(r"([.;:] the \w+ says)?: \".*", re.IGNORECASE | re.DOTALL)
_HEAD = ("stack", "resources", "`up`", "one after the other")


def pictures(sandbox: Sandbox) -> dict[str, str]:
    """That of each page."""
    state = sandbox.state()["resources"]
    drawn = {regions.README: picture(state, AREAS), ITS_PAGE: picture(state)}
    return {page: f"```mermaid\n{it}\n```" for page, it in drawn.items()}


def figures() -> str:
    """A table with a row for each stack, of the summary of its first `up`."""
    rows = [_line(_HEAD), _line("---" for _ in _HEAD), *map(row_of, stack_names())]
    return "\n".join(rows)


def row_of(stack: str) -> str:
    return _line(_row(stack, first_up(stack)))


def why() -> str:
    """What `aistack why` says of a reported job."""
    snapshot = REPORTS[REPORT].snapshot
    printed = io.StringIO()
    with redirect_stdout(printed):
        show_verdict(snapshot.found.job, verdict(snapshot))
    return f"```text\n{printed.getvalue()}```"


def waits() -> str:
    """A table of what `aistack why` says of reported jobs, without what it quotes, and the first
    sentence of its advice."""
    reasons = [it for name in WAITS if (it := verdict(REPORTS[name].snapshot).reason)]
    rows = [
        (
            f"{_QUOTED.sub('', it.sentence).rstrip('.')}.",
            f"{it.advice.partition('. ')[0].rstrip('.')}.",
        )
        for it in reasons
    ]
    return "\n".join(map(_line, (("`why` says", "what to do"), ("---", "---"), *rows)))


def _row(stack: str, up: Summary) -> tuple[str, ...]:
    path, every = up["critical_path_s"], up["sequential_s"]
    created = str(up["changes"]["create"])
    return stack, created, spread(up), f"{spoken(every)}, {every / path:.2f} x"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
