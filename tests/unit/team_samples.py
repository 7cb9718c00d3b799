"""A team with all that a team can have, as others register it."""

from dataclasses import replace
from typing import Any

from components.base.members import MemberArgs
from components.cluster.viewers import ClusterViewers, ClusterViewersArgs
from components.teams.quota import TeamQuotaArgs
from components.teams.team import Team, TeamArgs, TeamBucketArgs
from tests.conftest import PROJECT_NUMBER, inside

ADA = MemberArgs(email="ada@example.com", kind="user", role="edit")
VISION = MemberArgs(email="vision@example.com", kind="group", role="edit")
AUDIT = MemberArgs(email="audit@example.com", kind="group", role="view")
TEAM = TeamArgs(
    team="vision",
    members=[VISION, ADA, AUDIT],
    quota=TeamQuotaArgs(
        cpu=32_000, memory=64 * 1024, devices={"nvidia.com/gpu": 4}, pods=20, default_cpu=100
    ),
    account_name="trainer",
    buckets=[
        TeamBucketArgs(key="data", bucket_name="vision-data", role="roles/storage.objectViewer"),
        TeamBucketArgs(key="runs", bucket_name="vision-runs", role="roles/storage.objectUser"),
    ],
    project_number=PROJECT_NUMBER,
    workload_pool="p.svc.id.goog",
    labels={"stack": "test"},
)
# Pods that the level `baseline` takes for too powerful, by name: parts of the spec and of the
# container, and how the refusal ends, in the in-memory API as in a real one.
UNSAFE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "mounting": (
        {"volumes": [{"name": "gib", "hostPath": {"path": "/opt"}}]},
        {},
        'hostPath volumes (volume "gib")',
    ),
    "privileged": (
        {},
        {"securityContext": {"privileged": True}},
        'privileged (container "c0" must not set securityContext.privileged=true)',
    ),
    "listening": (
        {},
        {"ports": [{"containerPort": 80, "hostPort": 80}]},
        'hostPort (container "c0" uses hostPort 80)',
    ),
    "all": (
        {
            "hostNetwork": True,
            "hostIPC": True,
            "volumes": [{"name": name, "hostPath": {"path": "/opt"}} for name in "ab"],
        },
        {"securityContext": {"privileged": True}},
        "host namespaces (hostNetwork=true, hostIPC=true), "
        'hostPath volumes (volumes "a", "b"), '
        'privileged (container "c0" must not set securityContext.privileged=true)',
    ),
}


def make_team(**values: Any) -> None:
    Team("vision", replace(TEAM, **values), opts=inside())


def make_teams() -> None:
    """A team, and what its members need of the project."""
    make_team()
    args = ClusterViewersArgs(project="p", members=TEAM.members)
    ClusterViewers("members", args)
