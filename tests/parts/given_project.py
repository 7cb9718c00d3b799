"""What the simulated project has before a stack, by the stack's config."""

from typing import Any

from catalog.customer_keys import customer_keys


def reservations(raw: dict[str, Any]) -> dict[str, Any]:
    """The simulated project has all that the config names, with its key for every service."""
    keys = {raw["cmek"]: [*customer_keys().services]} if "cmek" in raw else {}
    return {
        "keys": keys,
        "reservations": {
            it["capacity"]["name"]: {
                "zone": it.get("zone", raw["zone"]),
                "machine_type": it["machine_type"],
                "count": 100,
                "blocks": {
                    block: [
                        it["capacity"][part] for part in ("sub_block",) if part in it["capacity"]
                    ]
                    for block in (it["capacity"].get("block"),)
                    if block is not None
                },
            }
            for it in raw["pools"].values()
            if it.get("capacity", {}).get("mode") == "reservation"
        },
    }
