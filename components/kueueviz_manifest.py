"""KueueViz, Kueue's own page, as values of Kueue's chart. Pure.

Source: kubernetes-sigs/kueue v0.19.2, charts/kueue/templates/kueueviz and cmd/kueueviz. The page is
files that a browser runs: it calls the backend by an address of the browser's machine, which the
chart writes into it, and the backend answers the pages of certain addresses alone. So both are at
fixed ports of that machine, and neither has an Ingress.

By itself the backend asks nobody who they are. Here who calls it has a token that was made for it,
for it looks at no right of a token's holder (backend/middleware/auth.go, reviewToken). Tried on
kube-apiserver v1.35.4 with the backend of v0.19.2: without a token, with a pod's own one and from a
page at another address it refuses to answer, and the API server refuses a token for it. Without an
audience it takes every pod's. Its image is in the mode for development, with a profiler
(backend/config/server.go, SetupPprof); in the other one it does not start without addresses of
pages (backend/middleware/cors.go).
"""

from typing import Any

# Of the machine that the browser is on. KueueViz' own guide has the page at 8080, which most often
# somebody else has (cmd/kueueviz/INSTALL.md).
PAGE_PORT = 8082
BACKEND_PORT = 8081
HERE = "127.0.0.1"
# Whom a token is for.
AUDIENCE = "kueueviz"
# Of its pods, and so what tokens are made of; the chart makes no other.
ACCOUNT = "default"
# Of the page, as browsers name it.
ORIGINS = tuple(f"http://{it}:{PAGE_PORT}" for it in (HERE, "localhost"))
# The limits are the chart's, which asks for as much.
_LIMITS = {"cpu": "500m", "memory": "512Mi"}
_REQUESTS = {"cpu": "50m", "memory": "128Mi"}


def kueueviz_values(node_selector: Any) -> dict[str, Any]:
    """Without `node_selector` its pods run anywhere. Values may be known later."""
    pod: dict[str, Any] = {"resources": {"limits": _LIMITS, "requests": _REQUESTS}}
    if node_selector is not None:
        pod["nodeSelector"] = node_selector
    environment = {"GIN_MODE": "release", "KUEUEVIZ_ALLOWED_ORIGINS": ",".join(ORIGINS)}
    backend = {
        **pod,
        "env": [{"name": name, "value": value} for name, value in environment.items()],
        "auth": {"mode": "TokenReview", "tokenReviewConfig": {"audiences": AUDIENCE}},
        # The page takes the host, and `ws` where there is no TLS: in 0.17 by the Secret's name
        # (frontend-configmap.yaml, v0.17.8 and v0.19.2; rendered with these values, 2026-11-24).
        "ingress": {
            "enabled": False,
            "host": f"{HERE}:{BACKEND_PORT}",
            "tlsEnabled": False,
            "tlsSecretName": "",
        },
    }
    frontend = {**pod, "ingress": {"enabled": False}}
    return {"enableKueueViz": True, "kueueViz": {"backend": backend, "frontend": frontend}}


def page_service(release: str) -> str:
    """The Service of what a browser loads, by Kueue's release."""
    return f"{release}-kueueviz-frontend"


def backend_service(release: str) -> str:
    """The Service of what the page calls."""
    return f"{release}-kueueviz-backend"
