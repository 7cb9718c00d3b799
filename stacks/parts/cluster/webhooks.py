"""The control plane's way to webhooks of what the stack installs."""

from components.webhook_access import WebhookAccess, WebhookAccessArgs
from stacks.site import Site


def webhook_access(site: Site, key: str, port: int) -> list[WebhookAccess]:
    """None in a cluster whose control plane has no range of its own: it calls by agents."""
    stack, existing = site.plan.stack, site.project.adopted.cluster
    block = stack.network.control_plane if existing is None else existing.control_plane_range
    if block is None:
        return []
    access = WebhookAccess(
        f"{key}-webhook",
        WebhookAccessArgs(
            project=site.project.network_project,
            network_id=site.gke.network_id,
            base_name=stack.name,
            key=key,
            control_plane_range=block,
            ports=[port],
        ),
        opts=site.project.opts,
    )
    return [access]
