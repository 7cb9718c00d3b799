"""Mount options at which Cloud Storage FUSE ends at once, so that nothing is mounted.

Sources: GoogleCloudPlatform/gcsfuse cfg/validate.go:57-61 (commit 7b392927 of 2026-08-20);
GoogleCloudPlatform/gcs-fuse-csi-driver pkg/sidecar_mounter/sidecar_mounter_config.go (commit
5fcdc04a of 2026-08-21), which turns the file cache on where its size is given and is not 0.
"""

from collections.abc import Iterable

_CACHE = "file-cache:max-size-mb"
_PARALLEL = "file-cache:enable-parallel-downloads"


def refusal(options: Iterable[str]) -> str:
    """Why FUSE ends; empty where it mounts."""
    given = {name: value for name, _, value in (it.rpartition(":") for it in options) if name}
    cached = given.get(_CACHE, "0") != "0"
    if given.get(_PARALLEL) == "true" and not cached:
        return (
            "error parsing parallel download config: file cache should be enabled for parallel "
            "download support"
        )
    return ""
