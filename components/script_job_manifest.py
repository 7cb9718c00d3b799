"""The specs of Jobs that run one script to its end. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

SCRIPT_DIR = "/etc/script"

_SCRIPT = "script"


def script_command(file_name: str, arguments: Sequence[str] = ()) -> list[str]:
    interpreter = "python3" if file_name.endswith(".py") else "bash"
    return [interpreter, f"{SCRIPT_DIR}/{file_name}", *arguments]


def script_volume(config_map: Any) -> dict[str, Any]:
    return {"name": _SCRIPT, "configMap": {"name": config_map}}


def script_mount() -> dict[str, Any]:
    return {"name": _SCRIPT, "mountPath": SCRIPT_DIR, "readOnly": True}


def plain_environment(variables: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in variables.items()]


def job_spec(
    *, minutes: int, retries: int, pod: Mapping[str, Any], annotations: Any, pods: int = 1
) -> Any:
    """A Job of pods that each run once; with more than one, each knows its number.

    Failed pods stay, and their logs with them. So does the Job: it is the record that the work is
    done, and Pulumi would make a new one in place of one that is gone.
    """
    spec: dict[str, Any] = {
        "backoffLimit": retries,
        "activeDeadlineSeconds": minutes * 60,
        "template": {
            "metadata": {"annotations": annotations},
            "spec": {"restartPolicy": "Never", **pod},
        },
    }
    if pods > 1:
        spec |= {"completionMode": "Indexed", "completions": pods, "parallelism": pods}
    return spec
