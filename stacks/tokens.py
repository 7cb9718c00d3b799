"""The secrets that a stack can have, and which of them it cannot do without."""

from collections.abc import Iterator, Mapping
from typing import Any

from catalog import Catalog

# The environment variables that programs look for.
HUGGING_FACE = "hugging_face_token"
VARIABLES = {HUGGING_FACE: "HF_TOKEN", "wandb_api_key": "WANDB_API_KEY"}
# The key of model servers, which they and the jobs that call them have, and no other pod.
SERVER_KEY, SERVER_KEY_VARIABLE = "model_server_key", "SERVER_KEY"
SECRETS = (*VARIABLES, SERVER_KEY)
# Keys of the one Kubernetes Secret, by the secrets of the config that they hold.
SECRET_KEYS = {**VARIABLES, SERVER_KEY: SERVER_KEY_VARIABLE}
# Jobs whose model is given out to those who have accepted its licence.
_WANT_A_TOKEN = frozenset({"nemo-rl", "fine-tune"})


def required_secrets(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The secrets without which a config is refused, as far as it can be told from `raw`."""
    each = _entries(raw, "servers").values()
    wanted = any(True for _ in wanting_a_token(raw))
    keyed = any(isinstance(it, dict) and it.get("api_key") not in (None, False) for it in each)
    return (*((HUGGING_FACE,) if wanted else ()), *((SERVER_KEY,) if keyed else ()))


def wanting_a_token(raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Servers and jobs whose model is given out to some alone, with the name that the config has
    for it, if it has one."""
    for name, it in _entries(raw, "servers").items():
        if not _open(it):
            yield f"servers.{name}".rstrip("."), _model(it)
    jobs = raw.get("jobs")
    for name, it in (jobs if isinstance(jobs, dict) else {}).items():
        kind = it.get("type") if isinstance(it, dict) else None
        if isinstance(kind, str) and kind in _WANT_A_TOKEN:
            yield f"jobs.{name}", _model(it)


def _entries(raw: Mapping[str, Any], part: str) -> dict[str, Any]:
    """By name; what is no block of names has none."""
    found = raw.get(part)
    return found if isinstance(found, dict) else {"": found} if found else {}


def _model(entry: Any) -> str:
    found = entry.get("model") if isinstance(entry, dict) else None
    return found if isinstance(found, str) else ""


def _open(server: Any) -> bool:
    """Whether a server's model is known to be anybody's."""
    model = server.get("model") if isinstance(server, dict) else None
    facts = Catalog.load().served_models.models.get(model) if isinstance(model, str) else None
    return facts is not None and facts.open
