"""Instances whose create the provider gave up: Google goes on, and they are in no state.

The provider takes the id back ("The resource didn't actually create", catalog/data/timeouts.yaml),
so the next `up` meets the name, a destroy leaves the instance and fails at its network, and both
cost. The name says the id, and with it the command that has it on record.
"""

import re
import shlex
from functools import partial

import pulumi

from recovery.ids import resource_id
from stacks.refusal import LUSTRE, REDIS

# hashicorp/terraform-plugin-sdk helper/retry/error.go, TimeoutError.
GIVEN_UP = "timeout while waiting for state"
# ALREADY_EXISTS, for the create that follows (googleapis/googleapis google/rpc/code.proto).
_THERE = "Error 409"
_LOOK = {
    LUSTRE: "gcloud lustre instances {verb} {name} --location={place} --project={project}",
    REDIS: "gcloud redis instances {verb} {name} --region={place} --project={project}",
}
_ID = re.compile(r"projects/(?P<project>[^/]+)/locations/(?P<place>[^/]+)/instances/(?P<name>.+)")
_PROVIDER = "pulumi:providers:gcp::google"


def install() -> None:
    """Has `up` say it after the error."""
    parents = dict[str, str]()
    hook = pulumi.ErrorHook("given-up", partial(tell, parents))
    binding = pulumi.ResourceHookBinding(on_error=[hook])

    def bind(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ not in _LOOK or args.opts.parent is None:
            return None
        parents[args.name] = args.opts.parent.pulumi_resource_name
        own = pulumi.ResourceOptions(hooks=binding)
        return pulumi.ResourceTransformationResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, own)
        )

    pulumi.runtime.register_stack_transformation(bind)


def tell(parents: dict[str, str], args: pulumi.ErrorHookArgs) -> bool:
    """Warn of it. Never have the engine try again: the name is taken."""
    found = resource_id(args.type, args.new_inputs or {})
    said = args.errors[0] if args.errors else ""
    if args.failed_operation == "create" and found is not None:
        line = warning(args.urn, parents[args.name], found, said)
        if line is not None:
            pulumi.log.warn(line)
    return False


def warning(urn: str, parent: str, instance: str, message: str) -> str | None:
    """What to say of a create that failed with a message; None where it left nothing. `parent` is
    the name of the instance's component."""
    head, _, name = urn.rpartition("::")
    parents, _, token = head.rpartition("$")
    known = _ID.fullmatch(instance)
    if known is None or not (GIVEN_UP in message or _THERE in message):
        return None
    look, away = (
        shlex.join(it.format(verb=verb, **known.groupdict()) for it in _LOOK[token].split())
        for verb in ("describe", "delete")
    )
    began = "no longer waits for it, and Google goes on making it"
    begin = began if GIVEN_UP in message else "may have given it up before"
    stack, project = urn.split("::")[0].rpartition(":")[2], urn.split("::")[1]
    provider = f"urn:pulumi:{stack}::{project}::{_PROVIDER}"
    command = import_command(urn, instance, f"{parents}::{parent}", provider)
    return "\n".join(
        [
            f"{name}: the provider {begin}. It is in no state and costs: the next `up` meets its "
            "name, and a destroy leaves it and ends at its network",
            f"  when it is ready: `{look}`",
            f"  nearest: {command}, once it is ready, then the same again",
            f"  nearest: {away}, then the same again",
        ]
    )


def import_command(urn: str, resource: str, parent: str, provider: str) -> str:
    """What takes a resource of this id onto the record (`pulumi import --help`, 3.256.0)."""
    head, _, name = urn.rpartition("::")
    token = head.rpartition("$")[2]
    stack = urn.split("::")[0].rpartition(":")[2]
    words = ["pulumi", "import", token, name, resource, "--stack", stack]
    words += ["--parent", f"parent={parent}", "--provider", f"google={provider}"]
    return shlex.join([*words, "--protect=false", "--generate-code=false"])
