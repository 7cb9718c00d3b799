"""Lets requests through to the paths of vLLM's server that answer with a model, and to no other.

`vllm serve --middleware answering_paths.AnsweringPaths` adds it to the server. vLLM v0.31.0 has
other paths on the same port, which stop the server or change it, and no option takes them away:
`/scale_elastic_ep` keeps every request out for as long as its caller says, and with
VLLM_SERVER_DEV_MODE there are `/pause`, `/update_weights` and `/collective_rpc`
(vllm-project/vllm v0.31.0 vllm/entrypoints/launchers/api_server/routers.py,
vllm/entrypoints/serve/elastic_ep/api_router.py, vllm/entrypoints/serve/__init__.py). An API key is
asked for on all paths here but those for probes and metrics
(vllm/entrypoints/serve/middleware/authenticate.py, GUARDED_PREFIX).
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

ANSWERING = frozenset(
    {
        "/v1/models",
        "/v1/chat/completions",
        "/v1/chat/completions/batch",
        "/v1/completions",
        "/v1/responses",
        "/v1/messages",
        "/v1/messages/count_tokens",
        "/v1/embeddings",
        "/v1/score",
        "/v1/rerank",
        "/v1/audio/transcriptions",
        "/v1/audio/translations",
        "/v1/realtime",
        "/v2/embed",
        "/v2/rerank",
        # The kubelet's probes, and the collector of metrics.
        "/health",
        "/metrics",
        "/metrics/",
    }
)
# An answer by its id, and its end.
ANSWERS = "/v1/responses/"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class AnsweringPaths:
    """ASGI middleware: another path does not exist, whatever the method."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or answers(scope["path"]):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            body = b'{"error": "Not Found"}'
            headers = [
                (b"content-type", b"application/json"),
                (b"content-length", b"%d" % len(body)),
            ]
            await send({"type": "http.response.start", "status": 404, "headers": headers})
            await send({"type": "http.response.body", "body": body})


def answers(path: str) -> bool:
    return path in ANSWERING or path.startswith(ANSWERS)
