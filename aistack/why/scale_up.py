"""Why the cluster autoscaler got no machine, in its own words. Pure.

GoogleCloudPlatform/cluster-autoscaler pkg/events/failed_scale_up_event_logger.go, 7d250507 of 2026:
all that an event FailedScaleUp can say; several reasons stand in one event.
"""

from __future__ import annotations

import re

from aistack.why.saying import Saying, first_said
from aistack.why.snapshot import Reason

_SAYINGS = (
    Saying(
        "service-account-deleted",
        re.compile(r"Service Account was deleted"),
        "Google makes no nodes, for their service account was deleted.",
        "Bring the stack up again, which makes the account anew, or restore it.",
    ),
    Saying(
        "ip-space",
        re.compile(r"IP space exhausted"),
        "The subnetwork or its range of pods has no addresses left for another node.",
        "Take other nodes away, or have `network` widened: waiting does not help.",
    ),
    Saying(
        "placement-refused",
        re.compile(r"Unsupported Compact Placement Config"),
        "Google cannot place these machines next to each other.",
        "Change the pool's placement as Google says; see the events of the job.",
    ),
    Saying(
        "tpu-refused",
        re.compile(r"Invalid TPU (topology|configuration)"),
        "Google refuses the TPU topology of its pods.",
        "Ask for a topology that the machine has; see the events of the job.",
    ),
    Saying(
        "reservation-full",
        re.compile(
            r"Reservation capacity exceeded|Any affinity reservations no capacity",
        ),
        "The reservation has no machine free.",
        "See `{status}` for who holds its machines, or have the reservation enlarged.",
    ),
    Saying(
        "reservation-not-usable",
        re.compile(
            r"(?P<what>Invalid Reservation|Reservation not ready|Any affinity reservations not "
            r"available|Reservation not found or incorrectly shared|Reservation incompatible with "
            r"node group)"
        ),
        "The pool cannot use its reservation: {what}.",
        "See that the reservation is there, is shared with this project, has begun, and is of the "
        "pool's zone and machine: waiting does not help.",
    ),
    Saying(
        "google-quota",
        re.compile(r"quota exceeded", re.IGNORECASE),
        "Google's quota of the project allows no more machines.",
        "Ask Google for more quota, or use another region or machine.",
    ),
    Saying(
        "stock-out",
        re.compile(r"out of resources"),
        "Google has none of these machines now.",
        "Wait, or take another zone, capacity by flex-start, or a reservation.",
    ),
    Saying(
        "nodes-late",
        re.compile(r"Some nodes in node group (?P<group>\S+) failed to appear in time"),
        "Google was asked for nodes of {group}, and they did not come in time.",
        "Wait: the autoscaler asks again; see the node pool in Google's console if it stays so.",
    ),
)
_ABOUT = re.compile(r"associated with this pod failed: (?P<what>.+?)\. Pod is at risk", re.DOTALL)


def not_scaled_up(message: str) -> Reason:
    """What a FailedScaleUp says, with Google's own words."""
    match = _ABOUT.search(message)
    words = match["what"] if match else message.strip().rstrip(".")
    known = first_said(_SAYINGS, [message])
    if known is None:
        return Reason(
            "scale-up-failed",
            f'The node pool could not be enlarged; the autoscaler says: "{words}".',
            "No rule knows these words. The autoscaler tries again by itself.",
        )
    return Reason(known.cause, f'{known.sentence} The autoscaler says: "{words}".', known.advice)
