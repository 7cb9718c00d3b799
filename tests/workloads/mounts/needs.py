"""What a mount takes of the machine. Without it the tests here are left out and trainings have a
plain folder for their bucket; where MOUNT_REQUIRED is set, as in the nightly run, that is a
failure."""

import os
from pathlib import Path

DEVICE = Path("/dev/fuse")


def missing() -> str:
    """Empty where all is there."""
    if not DEVICE.exists():
        return f"no bucket is mounted: there is no {DEVICE}"
    return "no bucket is mounted: only root can" if os.getuid() else ""


def required() -> bool:
    return bool(os.environ.get("MOUNT_REQUIRED"))
