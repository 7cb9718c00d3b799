"""Text Generation Inference as an engine. Pure.

Sources, read 2026-11-21: environment, /health and metrics from launcher, router/src/server.rs and
backends/v3/src/queue.rs in huggingface/text-generation-inference (commit db931fcf of 2026-01-08).
How it ends, read 2026-11-26: launcher/src/main.rs:2356 and 913 there; where the image keeps what it
downloads: Dockerfile:147. Its paths answer or tell, and none changes the server:
router/src/server.rs:2203-2285, read 2026-11-27; the key: launcher/src/main.rs:849, asked for where
a model answers (router/src/server.rs:2213).
"""

from .engine import DRAIN_S, GRACE_S, LEAVES_FIRST, PORT, Engine, ServedModel

# As the image has it, and others of TGI by another variable.
_CACHE = "/data"


def _environment(model: ServedModel) -> dict[str, str]:
    # The launcher has every option as a variable, too (launcher/src/main.rs:593).
    revision = {} if model.revision is None else {"REVISION": model.revision}
    return {
        **revision,
        "MODEL_ID": model.source,
        "NUM_SHARD": str(model.shards),
        "PORT": str(PORT),
        # In place of PORT for images that are built for Vertex AI, as Google's are.
        "AIP_HTTP_PORT": str(PORT),
        "HF_HOME": _CACHE,
        # By default 90, and its pod would be killed before.
        "GRACEFUL_TERMINATION_TIMEOUT": str(DRAIN_S),
    }


TGI = Engine(
    label="text-generation-inference",
    gauge="tgi_queue_size",
    command=lambda _: [],
    environment=_environment,
    key_variable="API_KEY",
    cache_dir=_CACHE,
    pod={"terminationGracePeriodSeconds": GRACE_S},
    # It takes no more connections as soon as it is told to end, and some still come.
    container={"lifecycle": LEAVES_FIRST},
)
