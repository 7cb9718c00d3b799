"""The control plane's way to webhooks of what the stack installs."""

from components.webhook_access import WebhookAccess, WebhookAccessArgs
from stacks.site import Site


def webhook_access(site: Site, key: str, port: int) -> WebhookAccess:
    stack = site.plan.stack
    return WebhookAccess(
        f"{key}-webhook",
        WebhookAccessArgs(
            project=site.project.apis.project_with("compute"),
            network_id=site.gke.network_id,
            base_name=stack.name,
            key=key,
            control_plane_range=stack.network.control_plane,
            ports=[port],
        ),
        opts=site.project.opts,
    )
