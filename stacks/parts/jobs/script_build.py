"""Scripts that are JobSets of their own, and JobSet's controller."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pulumi

from components.base.helm import helm_chart
from components.base.pod_manifest import PodSecretArgs
from components.jobs.job_set_manifest import FILE_DIR
from components.jobs.jobset_controller import WEBHOOK_PORT, JobSetController, JobSetControllerArgs
from components.jobs.script_job_set import (
    ScriptJobSet,
    ScriptJobSetArgs,
    ScriptMountArgs,
)
from components.nccl.gib import nccl_environment
from components.servers.engine import PORT
from stacks.parts.buckets.build import MountedBucket, annotations
from stacks.parts.cluster.build import webhook_access
from stacks.parts.cluster.config import Operator
from stacks.parts.images.driver_path import driver_environment
from stacks.parts.jobs import script_files
from stacks.parts.jobs.plan import PlannedScript
from stacks.parts.jobs.program_words import with_ranks
from stacks.parts.jobs.requirements import with_requirements
from stacks.parts.jobs.script import FILES_VARIABLE, SERVER_VARIABLE, Script
from stacks.parts.network.domain_build import domain_of
from stacks.parts.pools.staying import staying
from stacks.parts.ray.build import Surroundings
from stacks.parts.ray.nodes_build import wider
from stacks.plan import Plan
from stacks.site import DeviceAccess, Selector, Site
from stacks.stack import LUSTRE, LUSTRE_VOLUME
from stacks.survey import Survey
from stacks.tokens import SERVER_KEY_VARIABLE

Files = Mapping[str, Mapping[str, str]]


def brought(plan: Plan, folder: Path) -> Files:
    """The files of each script. Raises pulumi.RunError, which names all that are wrong, before any
    resource is registered."""
    scripts = {name: it for name, it in plan.stack.jobs.items() if isinstance(it, Script)}
    tokens = {name: script_files.tokens_of(plan.stack, it) for name, it in scripts.items()}
    found = script_files.read(folder, scripts, tokens)
    survey = Survey()
    survey.judge(found.problems)
    survey.close()
    return found.files


def controllers(site: Site) -> list[JobSetController]:
    """On the CPU nodes, as Kueue: all JobSets wait for its webhook."""
    if Operator.JOBSET in site.project.adopted.operators:
        return []
    reachable = webhook_access(site, "jobset", WEBHOOK_PORT)
    made = JobSetController(
        "jobset",
        JobSetControllerArgs(
            chart=helm_chart(site.plan.facts, "jobset"),
            node_selector=None if site.plan.autopilot else site.nodes.cpu,
            labels=site.labels,
        ),
        opts=site.after(*site.nodes.needed, *reachable),
    )
    return [made]


def build(
    site: Site, around: Surroundings, controllers: Sequence[JobSetController], of_users: Files
) -> dict[str, ScriptJobSet]:
    return {
        name: _job_set(site, around, controllers, it, of_users[name])
        for name, it in site.plan.scripts.items()
    }


def _job_set(
    site: Site,
    around: Surroundings,
    controllers: Sequence[JobSetController],
    script: PlannedScript,
    of_user: Mapping[str, str],
) -> ScriptJobSet:
    config, requests, queues = script.config, script.requests, around.queues
    access = _in_domain(site, around, script, _access(site, around, script))
    standing = site.standing_pools(script.name)
    mounted = [it for key, it in around.buckets.items() if key in script.buckets]
    return ScriptJobSet(
        script.name,
        ScriptJobSetArgs(
            namespace=site.namespace,
            job_name=script.name,
            image=site.plan.images.of(script.image),
            command=with_ranks(
                with_requirements(config.command, of_user if config.install_requirements else {}),
                of_user,
            ),
            files=of_user,
            environment=_environment(site, script, of_user),
            nodes=config.nodes,
            gpus=script.gpus,
            cpu_millicores=requests.millicores,
            memory_gib=requests.memory_gib,
            ephemeral_storage_gib=requests.ephemeral_storage_gib,
            shm_gib=script.shm_gib,
            node_selector=access.node_selector,
            any_of=_any_of(site, script),
            taints=list(dict.fromkeys(one for it in script.pools for one in it.tolerated)),
            pools=[one for it in script.pools for one in site.nodes.machines[it.name]],
            networks=access.networks,
            claims=dict(access.claims),
            gpus_claimed=access.gpus_claimed,
            rdma=access.rdma,
            nccl={} if script.nccl is None else script.nccl.settings,
            mounts=_mounts(site, around, script, mounted),
            annotations={
                **staying(site, "JobSet", f"{script.name}-job-set", script.pools),
                **annotations(script.limits),
            },
            secret_name=site.secret_name,
            secret_keys=[*site.secret_keys, *_server_keys(site, script)],
            secrets=[PodSecretArgs(**it._asdict()) for it in config.named_secrets],
            service_account=mounted[0].account_name if mounted else None,
            priority_class=queues.priority(config.priority),
            queue=queues.queue(config.queue),
            workload_priority=queues.workload_priority(config.workload_priority),
            max_restarts=config.retries,
            minutes=config.minutes,
            grace_seconds=config.grace_seconds,
            client_of=config.server,
            labels=site.labels,
        ),
        opts=site.after(*site.nodes.needed, *standing, *access.after, *queues.needed, *controllers),
    )


def _access(site: Site, around: Surroundings, script: PlannedScript) -> DeviceAccess:
    """Nodes of the one pool, or of any of several, once their network works. A pod that is alone
    in its job has nobody to speak to over one of a machine without GPUs, which several then
    share."""
    if script.pool is None:
        return DeviceAccess(networks=(), node_selector=site.nodes.cpu)
    only = site.nodes.only[script.pool.name]
    alone = script.pool.kind == "cpu" and script.config.nodes == 1
    found = None if alone else around.devices.get(script.pool.name)
    if found is not None:
        found = found.of(script.gpus)
    if len(script.pools) > 1:
        selector = site.nodes.selectors[script.pool.name]
        own = found or DeviceAccess(networks=(), node_selector=selector)
        return replace(own, node_selector=wider(own.node_selector, only))
    if found is None:
        return DeviceAccess(networks=(), node_selector=only)
    both = pulumi.Output.all(found.node_selector, only)
    selector: Selector = both.apply(lambda it: {**it[0], **it[1]})
    return replace(found, node_selector=selector)


def _in_domain(
    site: Site, around: Surroundings, script: PlannedScript, access: DeviceAccess
) -> DeviceAccess:
    """Where machines are of an NVLink domain, each pod has a channel of the job's own."""
    if around.nvlink is None or script.pool is None or script.pool.domain is None:
        return access

    made = domain_of(site, script.name, script.config.nodes, around.nvlink)
    return replace(
        access,
        claims={**access.claims, "nvlink": made.claim},
        after=[*access.after, made],
    )


def _any_of(site: Site, script: PlannedScript) -> list[Selector]:
    several = len(script.pools) > 1
    return [site.nodes.only[it.name] for it in script.pools] if several else []


def _environment(site: Site, script: PlannedScript, of_user: Mapping[str, str]) -> dict[str, str]:
    """What GPUs and the network need, where files are, and what the user says over all."""
    driver = driver_environment(site.plan, script.image, script.gpus)
    nccl = script.nccl
    network = {} if nccl is None else nccl_environment(nccl.variables)
    where = {FILES_VARIABLE: FILE_DIR} if of_user else {}
    server = script.config.server
    calls = {} if server is None else {SERVER_VARIABLE: f"http://{server}:{PORT}"}
    return {**driver, **network, **where, **calls, **script.config.environment}


def _server_keys(site: Site, script: PlannedScript) -> list[str]:
    """The key of the server that the job calls, where it has one."""
    server = site.plan.servers.get(script.config.server or "")
    return [SERVER_KEY_VARIABLE] if server is not None and server.config.api_key else []


def _mounts(
    site: Site, around: Surroundings, script: PlannedScript, mounted: Sequence[MountedBucket]
) -> list[ScriptMountArgs]:
    found = [
        ScriptMountArgs(
            name=it.planned.volume,
            path=it.planned.config.mount_path,
            bucket=it.args if it.claim is None else None,
            volume=it.claim,
        )
        for it in mounted
    ]
    if script.lustre and around.lustre is not None:
        path = site.plan.mount_path(LUSTRE)
        found.append(ScriptMountArgs(name=LUSTRE_VOLUME, path=path, volume=around.lustre))
    return found
