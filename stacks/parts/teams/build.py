"""Teams' namespaces, who may do what there, and what IAM asks of them."""

from collections.abc import Mapping, Sequence

import pulumi

from components.cluster.viewers import ClusterViewers, ClusterViewersArgs
from components.teams.borders import TeamBorders, TeamBordersArgs
from components.teams.team import Team, TeamArgs, TeamBucketArgs
from stacks.parts.buckets.build import AnyBucket
from stacks.parts.teams.plan import (
    PlannedTeam,
    pods_policy_name,
    private_namespaces,
    privileged_namespaces,
    reach_policy_name,
    services_policy_name,
)
from stacks.site import Site, Teams


def build(
    site: Site, buckets: Mapping[str, AnyBucket], served: Sequence[pulumi.Resource] = ()
) -> Teams:
    """A team's namespace goes, with all work in it, before what is `served`: queues and operators,
    which take the finalizers of that work off."""
    planned = site.plan.teams
    members = [one for team in planned.values() for one in team.members]
    if members:
        project = site.project
        ClusterViewers(
            "members",
            ClusterViewersArgs(
                project=project.plan.stack.project, apis=project.apis, members=members
            ),
            opts=project.opts,
        )
    borders = _borders(site)
    before = [*served, *borders]
    made = {name: _team(site, team, buckets, before) for name, team in planned.items()}
    return Teams(
        namespaces={name: it.namespace for name, it in made.items()},
        service_accounts={name: it.service_account for name, it in made.items()},
    )


def _borders(site: Site) -> list[TeamBorders]:
    """A namespace of a team exists only while its policies do."""
    teams = site.plan.teams.values()
    if not teams:
        return []
    stack = site.plan.stack.name
    return [
        TeamBorders(
            "team-borders",
            TeamBordersArgs(
                reach_policy_name=reach_policy_name(stack),
                services_policy_name=services_policy_name(stack),
                pods_policy_name=pods_policy_name(stack),
                namespaces=[it.name for it in teams],
                private_namespaces=private_namespaces(teams),
                privileged_namespaces=privileged_namespaces(teams),
                priorities={it.name: it.priorities for it in teams},
                labels=site.labels,
            ),
            opts=site.inside,
        )
    ]


def _team(
    site: Site,
    team: PlannedTeam,
    buckets: Mapping[str, AnyBucket],
    served: Sequence[pulumi.Resource],
) -> Team:
    config, project = team.config, site.project
    return Team(
        team.name,
        TeamArgs(
            team=team.name,
            members=team.members,
            quota=team.quota,
            queued=config.queue is not None,
            account_name=config.service_account,
            buckets=[
                TeamBucketArgs(key=key, bucket_name=buckets[key].bucket_name, role=role.iam_role)
                for key, role in config.buckets.items()
            ],
            project_number=project.number,
            workload_pool=site.gke.workload_pool,
            pod_security=config.pod_security,
            storage_gib=config.storage_gib,
            labels=site.labels,
        ),
        # Waits for the provider as pools do: `destroy` then takes both at once.
        opts=pulumi.ResourceOptions(
            providers=[project.provider, site.gke.kubernetes],
            depends_on=[site.gke.kubernetes, *served],
        ),
    )
