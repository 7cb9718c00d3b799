"""What a stack costs an hour now and then, in lines for a person. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review.cost import Amount, Cost, Part


def cost_lines(before: Cost, after: Cost, to_first_step: Amount | None = None) -> Iterator[str]:
    """`before` is of what stood, `after` of what will stand; `to_first_step` is paid for
    accelerators until then."""
    then = "as before" if after.parts == before.parts else f"{usd(before.hourly)} before"
    month = usd(after.monthly, cents=False)
    yield f"{usd(after.hourly)} USD an hour, {then}; {month} USD a month: list prices, which drift"
    if to_first_step is not None:
        yield f"{usd(to_first_step)} USD for accelerators before the first step"
    yield from reservations(after.parts)


def reservations(parts: Sequence[Part]) -> Iterator[str]:
    """What is not in the sum of them, and what is in it at prices of other regions."""
    unknown = [it for it in parts if it.hourly is None]
    for why, named in (
        ("not in it, for no price is known", [it for it in unknown if not it.amount_unknown]),
        ("not in it, for the amount is not known", [it for it in unknown if it.amount_unknown]),
        ("at the prices of other regions", [it for it in parts if it.elsewhere and it.hourly]),
    ):
        if named:
            yield f"{why}: {', '.join(f'{it.component} ({it.what})' for it in named)}"


def usd(amount: Amount, *, signed: bool = False, cents: bool = True) -> str:
    form = f"{'+' if signed else ''},.{2 if cents else 0}f"
    low, high = f"{amount.low:{form}}", f"{amount.high:{form}}"
    return low if low == high else f"{low} to {high}"
