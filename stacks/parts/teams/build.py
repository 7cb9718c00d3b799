"""Teams' namespaces, who may do what there, and what IAM asks of them."""

from collections.abc import Mapping

import pulumi

from components.cluster_viewers import ClusterViewers, ClusterViewersArgs
from components.team import Team, TeamArgs, TeamBucketArgs
from stacks.parts.buckets.build import AnyBucket
from stacks.parts.teams.plan import PlannedTeam
from stacks.site import Site, Teams


def build(site: Site, buckets: Mapping[str, AnyBucket]) -> Teams:
    planned = site.plan.teams
    members = [one for team in planned.values() for one in team.members]
    if members:
        project = site.project
        ClusterViewers(
            "members",
            ClusterViewersArgs(
                resource_manager_project=project.apis.project_with("cloudresourcemanager"),
                members=members,
            ),
            opts=project.opts,
        )
    made = {name: _team(site, team, buckets) for name, team in planned.items()}
    return Teams(
        namespaces={name: it.namespace for name, it in made.items()},
        service_accounts={name: it.service_account for name, it in made.items()},
    )


def _team(site: Site, team: PlannedTeam, buckets: Mapping[str, AnyBucket]) -> Team:
    config, project = team.config, site.project
    return Team(
        team.name,
        TeamArgs(
            team=team.name,
            members=team.members,
            quota=team.quota,
            account_name=config.service_account,
            buckets=[
                TeamBucketArgs(key=key, bucket_name=buckets[key].bucket_name, role=role.iam_role)
                for key, role in config.buckets.items()
            ],
            project_number=project.number,
            workload_pool=site.gke.workload_pool,
            pod_security=config.pod_security,
            labels=site.labels,
        ),
        # Waits for the provider as pools do: `destroy` then takes both at once.
        opts=pulumi.ResourceOptions(
            providers=[project.provider, site.gke.kubernetes], depends_on=[site.gke.kubernetes]
        ),
    )
