"""Webhooks of controllers that are processes of this machine."""

from __future__ import annotations

from kube.objects import JsonObject


def call_by_url(webhook: JsonObject | None, url: str, ca_bundle: str) -> None:
    """Has the API server call a webhook, if there is one, by `url` and its path."""
    if webhook is not None:
        path = webhook["clientConfig"]["service"]["path"]
        webhook["clientConfig"] = {"url": url + path, "caBundle": ca_bundle}
