"""What a stack tells its user of commands, and of what stays."""

import shlex
from collections.abc import Sequence

import pulumi

from catalog.customer_keys import ROLE, customer_keys
from components.base.members import EDIT, VIEW
from components.cluster.control_plane import ControlPlaneEndpoint
from components.ray.manifest import DASHBOARD_PORT, token_command, token_secret_name
from stacks.parts.cluster.config import AuthorizedRange
from stacks.parts.ray.plan import PlannedRay
from stacks.parts.teams.plan import PlannedTeam
from stacks.plan import Plan

DASHBOARD_URL = f"http://localhost:{DASHBOARD_PORT}"


def control_plane_access(
    endpoint: ControlPlaneEndpoint, allowed: Sequence[AuthorizedRange] | None
) -> str:
    """Who may reach the control plane; only IAM identities get further."""
    if endpoint is ControlPlaneEndpoint.DNS:
        return "from everywhere by its name, where Google Cloud asks for container.clusters.connect"
    ranges = ", ".join(one.cidr for one in allowed or ())
    if endpoint is ControlPlaneEndpoint.PRIVATE:
        beside = f" and from {ranges}" if ranges else ""
        return f"from the cluster's nodes and pods{beside}, in the VPC network alone"
    if allowed is None:
        return "from everywhere; cluster.authorized_networks narrows it"
    return f"from {ranges or 'nowhere'}"


# Of `gcloud container clusters get-credentials`; public addresses are its default.
_FLAGS = {
    ControlPlaneEndpoint.PUBLIC: "",
    ControlPlaneEndpoint.PRIVATE: " --internal-ip",
    ControlPlaneEndpoint.DNS: " --dns-endpoint",
}


def credentials_flag(endpoint: ControlPlaneEndpoint) -> str:
    return _FLAGS[endpoint]


def team_note(team: PlannedTeam) -> str:
    """Who is in a team, and what bounds it."""
    config = team.config
    parts = [
        f"{role} {', '.join(sorted(it.email for it in team.members if it.role == role))}"
        for role in (EDIT, VIEW)
        if any(it.role == role for it in team.members)
    ] or ["nobody"]
    if config.queue is not None:
        parts.append(f"work waits in the queue {config.queue}")
    if config.quota is not None:
        given = config.quota.model_dump(exclude_none=True)
        parts.append("at once " + ", ".join(f"{key} {it:g}" for key, it in given.items()))
    if config.secrets:
        parts.append(f"submitted jobs have its Secrets {', '.join(config.secrets)}")
    parts.append(f"pods as {config.pod_security}")
    parts.append(f"services {'outside' if config.load_balancers else 'inside'} the cluster")
    parts.append(f"{config.storage_gib} GiB of volumes")
    return "; ".join(parts)


def forward_command(namespace: str, service: pulumi.Output[str], port: str) -> pulumi.Output[str]:
    """Brings a service's port to the user's own machine; `port` is LOCAL:REMOTE."""
    return pulumi.Output.concat(
        f"kubectl --namespace={namespace} port-forward service/", service, f" {port}"
    )


def with_token(ray: PlannedRay, namespace: str) -> str:
    """What stands before a command of Ray's client, whose cluster may ask for a token: that is
    read as it runs, and stands neither in the output nor in an argument."""
    if not ray.asks_for_token:
        return ""
    read = token_command(token_secret_name(ray.name), namespace)
    return f'RAY_AUTH_MODE=token RAY_AUTH_TOKEN="$({read})" '


def submit_command(
    command: pulumi.Input[str], runtime_env_json: str, gpus: int = 0, *, before: str = ""
) -> pulumi.Output[str]:
    """For use while the dashboard's port is forwarded; `gpus` are the command's own, without
    which it runs on the head, and `before` is what brings the token."""
    own = f" --entrypoint-num-gpus={gpus}" if gpus else ""
    return pulumi.Output.concat(
        f"{before}ray job submit --address={DASHBOARD_URL} "
        f"--runtime-env-json={shlex.quote(runtime_env_json)}{own} -- ",
        command,
    )


def cleanup_note(
    stack: str,
    *,
    protected: bool,
    lost: Sequence[str] = (),
    kept: Sequence[str] = (),
    abandons_peering: bool = False,
) -> str:
    """How to take the stack down, and what stays; `lost` says where data is that goes with it, and
    `kept` has the URLs of the buckets that stop a destroy as long as they hold objects. `stack` is
    what Pulumi calls it."""
    first = (
        f"First `pulumi config set --stack {stack} --path stack.deletion_protection false` and "
        f"`pulumi up --stack {stack}`, then "
        if protected
        else ""
    )
    loss = "".join(f" Everything {place} is lost." for place in lost)
    peering = (
        " The VPC peering is abandoned: with it the VPC cannot go." if abandons_peering else ""
    )
    objects = "".join(
        f" Objects in {url} stop it; `{empty_command(url)}` deletes them." for url in kept
    )
    destroy = f"`pulumi destroy --stack {stack}`"
    return (
        f"{first}{destroy} removes what the stack made, but the enabled APIs. What people have in "
        f"the cluster or in its VPC network may hold it up or stay: `aistack work --stack {stack}` "
        f"lists it.{objects}{loss}{peering}"
    )


def empty_command(url: str) -> str:
    """Deletes what is in a bucket, with --recursive its noncurrent versions too (Google Cloud
    documentation, "gcloud storage rm", read 2026-11-26)."""
    return f"gcloud storage rm --recursive {shlex.quote(f'{url}/**')}"


def key_services(plan: Plan) -> list[str]:
    """The APIs of those that encrypt with the key of `cmek` what the stack makes, in the order of
    catalog/data/customer_keys.yaml."""
    stack = plan.stack
    uses = {
        "container": stack.cluster.is_made,
        # On Autopilot the nodes are the cluster's, on Standard those of the stack's pools.
        "compute": stack.cluster.is_made or not plan.autopilot,
        "storage": any(it.config.existing is None for it in plan.buckets.values()),
        "lustre": stack.makes_lustre and stack.key_of(stack.lustre) is not None,
        "redis": stack.key_of(stack.redis) is not None,
        "artifactregistry": bool(plan.images.made),
    }
    return [api for api in customer_keys().services if uses[api] and stack.cmek is not None]


def kms_grants(plan: Plan, project: str) -> list[str]:
    """What lets Google's services use the key, which whoever administers it runs before `up`: the
    stack's own caller may do nothing with keys. None where nothing is encrypted with one.

    A service has its identity once its API is on, so the first commands make them (Service Usage
    documentation, `gcloud beta services identity create`; Cloud Storage documentation, "Getting the
    Cloud Storage service agent"). The shell asks for the project's number: the run that would
    know it turns on the API that tells it.
    """
    key, used = plan.stack.cmek, key_services(plan)
    if key is None or not used:
        return []
    _, home, _, location, _, ring, _, name = key.split("/")
    apis = " ".join(f"{it}.googleapis.com" for it in used)
    services, of_project = customer_keys().services, shlex.quote(f"--project={project}")
    number = f"$(gcloud projects describe {shlex.quote(project)} --format='value(projectNumber)')"
    return [
        f"gcloud services enable {apis} {of_project}",
        *(
            f"gcloud storage service-agent {of_project}"
            if api == "storage"
            else f"gcloud beta services identity create --service={api}.googleapis.com {of_project}"
            for api in used
        ),
        *(
            f"gcloud kms keys add-iam-policy-binding {shlex.join([name, f'--project={home}'])} "
            f"{shlex.join([f'--location={location}', f'--keyring={ring}'])} "
            f"--role={ROLE} "
            f'--member="serviceAccount:service-{number}@{services[api].account}'
            '.iam.gserviceaccount.com"'
            for api in used
        ),
    ]
