"""What a review found out about one stack."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from review.change import VERBS, Change
from review.cost import MONTH_HOURS, Amount, Cost
from review.danger import Danger
from review.sandbox_engine import Course
from stacks.acknowledge import Acknowledge
from stacks.running_work import Stop

# A stack waits that cannot be previewed before the platform that it stands on is up.
Status = Literal["same", "changed", "new", "removed", "failed", "waits"]


@dataclass(frozen=True)
class StackReview:
    """`note` says what a reader has to know before the rest; seconds are simulated but `engine_s`.

    `platform` is the stack on whose cluster it stands. `before` or `after` is None for a stack that
    is new, removed, or was not run. `refusal` is why `up` would refuse the change, and `not_agreed`
    the running work for which it would; `stop_entries` of `acknowledge` agree to that. `spent` are
    entries that agree to nothing any more. `not_estimated` says which estimates failed.
    """

    stack: str
    status: Status
    note: str = ""
    errors: tuple[str, ...] = ()
    platform: str = ""
    changes: tuple[Change, ...] = ()
    dangers: tuple[Danger, ...] = ()
    spent: tuple[Acknowledge, ...] = ()
    stops: tuple[Stop, ...] = ()
    not_agreed: tuple[Stop, ...] = ()
    stop_entries: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    refusal: str = ""
    before: Cost | None = None
    after: Cost | None = None
    makespan_s: float = 0.0
    low_s: float = 0.0
    high_s: float = 0.0
    sequential_s: float = 0.0
    chain: tuple[tuple[str, str, float], ...] = ()
    courses: tuple[Course, ...] = ()
    manifests: str = ""
    mermaid: str = ""
    engine_s: float = 0.0
    not_estimated: tuple[str, ...] = ()
    counts: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        verbs = [change.verb for change in self.changes]
        found = {verb: verbs.count(verb) for verb in VERBS if verb in verbs}
        object.__setattr__(self, "counts", found)

    @property
    def refused(self) -> bool:
        """Whether something would be lost that nobody agreed to."""
        unagreed = any(not danger.acknowledged for danger in self.dangers)
        return unagreed or bool(self.not_agreed)

    def to_json(self) -> dict[str, Any]:
        return {
            "stack": self.stack,
            "status": self.status,
            "platform": self.platform or None,
            "note": self.note,
            "errors": list(self.errors),
            "counts": self.counts,
            "changes": [
                {
                    "resource": change.name,
                    "urn": change.urn,
                    "type": change.type,
                    "verb": change.verb,
                    "causes": [cause.to_json() for cause in change.causes],
                }
                for change in self.changes
            ],
            "dangers": [
                {**asdict(danger), "acknowledged": danger.acknowledged} for danger in self.dangers
            ],
            "spent": [one.model_dump() for one in self.spent],
            "stops": [
                {**asdict(stop), "acknowledged": stop not in self.not_agreed} for stop in self.stops
            ],
            "warnings": list(self.warnings),
            "refusal": self.refusal or None,
            "cost": {"before": _bill(self.before), "after": _bill(self.after)},
            "makespan_s": round(self.makespan_s, 3),
            "makespan_low_s": round(self.low_s, 3),
            "makespan_high_s": round(self.high_s, 3),
            "sequential_s": round(self.sequential_s, 3),
            "critical_path": [
                {"operation": verb, "resource": name, "seconds": round(seconds, 3)}
                for verb, name, seconds in self.chain
            ],
            "to_first_step": [it.to_json() for it in self.courses],
            "manifests": self.manifests,
            "mermaid": self.mermaid,
            "engine_s": round(self.engine_s, 3),
            "not_estimated": list(self.not_estimated),
        }


def _bill(cost: Cost | None) -> dict[str, Any] | None:
    if cost is None:
        return None
    return {
        "parts": [
            {
                "component": part.component,
                "what": part.what,
                "source": part.source,
                "usd_hour": _range(part.hourly),
            }
            for part in cost.parts
        ],
        "known_usd_hour": _range(cost.hourly),
        "known_usd_month": _range(cost.monthly),
        "unknown_parts": len(cost.unknown),
        "unpriced_accelerators": [it.what for it in cost.unpriced],
        "accelerator_hours_month": {
            kind: {"low": low * MONTH_HOURS, "high": high * MONTH_HOURS}
            for kind, (low, high) in cost.devices.items()
        },
    }


def _range(amount: Amount | None) -> dict[str, float] | None:
    if amount is None:
        return None
    return {"low": round(amount.low, 4), "high": round(amount.high, 4)}
