"""How programs that run in this process, one after another, reach their engines over gRPC."""

from __future__ import annotations

import json
from typing import Any

# Private to the SDK, and the only way: it opens the channels itself.
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS  # pyright: ignore[reportPrivateUsage]

# The first call of a program; nothing is registered before it is answered.
_FIRST_CALL = {"service": "pulumirpc.ResourceMonitor", "method": "GetDeploymentInfo"}
_RETRIES = {
    "methodConfig": [
        {
            "name": [_FIRST_CALL],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.2s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}
OPTIONS: list[tuple[str, Any]] = [
    # Channels of one process share connections by address. An engine that has ended leaves a
    # failed one behind for a while, and the next engine may be given the same port.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.service_config", json.dumps(_RETRIES)),
]


def keep_apart() -> None:
    """Give each engine connections of its own; without it a run in some thousand fails at once
    with "Resource monitor has terminated"."""
    for option in OPTIONS:
        if option not in _GRPC_CHANNEL_OPTIONS:
            _GRPC_CHANNEL_OPTIONS.append(option)
