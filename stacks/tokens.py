"""The secrets that a stack can have, and which of them it cannot do without."""

from collections.abc import Mapping
from typing import Any

from catalog import Catalog

SECRETS = ("hugging_face_token", "wandb_api_key")
# The environment variables that programs look for.
VARIABLES = {"hugging_face_token": "HF_TOKEN", "wandb_api_key": "WANDB_API_KEY"}
# Jobs whose model is given out to those who have accepted its licence.
_WANT_A_TOKEN = frozenset({"nemo-rl", "fine-tune"})


def required_secrets(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The secrets without which a config is refused, as far as it can be told from `raw`."""
    jobs = raw.get("jobs")
    types = {
        it.get("type")
        for it in (jobs.values() if isinstance(jobs, dict) else ())
        if isinstance(it, dict)
    }
    servers = raw.get("servers")
    each = servers.values() if isinstance(servers, dict) else [servers] if servers else []
    wanted = not all(map(_open, each)) or not _WANT_A_TOKEN.isdisjoint(types)
    return ("hugging_face_token",) if wanted else ()


def _open(server: Any) -> bool:
    """Whether a server's model is known to be anybody's."""
    model = server.get("model") if isinstance(server, dict) else None
    facts = Catalog.load().served_models.models.get(model) if isinstance(model, str) else None
    return facts is not None and facts.open
