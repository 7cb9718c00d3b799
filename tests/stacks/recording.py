"""A program that tells what the engine has on record of it, and then makes one thing more."""

import pulumi
import pulumi_gcp as gcp

from stacks import on_record

SECRET = "hush-hush"
PROJECT = "sandbox-project"


class Kept(pulumi.ComponentResource):
    """Outputs of every kind that a state may have."""

    def __init__(self, api: gcp.projects.Service) -> None:
        super().__init__("test:test:Kept", "kept")
        secret = pulumi.Output.secret(SECRET)
        self.register_outputs(
            {"api": api, "nested": {"token": secret, "nodes": 3}, "listed": [secret, 0.5]}
        )


def program() -> None:
    """Config `network` adds one whose API is off, which fails."""
    for it in on_record.read().resources:
        pulumi.log.info(f"recorded {it.type} {it.name} {dict(it.outputs)}")
    api = gcp.projects.Service("api", project=PROJECT, service="iam.googleapis.com")
    Kept(api)
    if pulumi.Config().get_bool("network"):
        opts = pulumi.ResourceOptions(depends_on=[api])
        gcp.compute.Network("vpc", project=PROJECT, name="vpc", opts=opts)
