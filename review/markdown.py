"""A review as a comment on a pull request. Pure.

What others wrote stands in code alone: `review/quoted.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from review.bill import bill, money, month, monthly, parts, span
from review.budget import LONGEST, Section, fitted
from review.change import Change
from review.cost import Cost
from review.first_step import first_step_lines
from review.quoted import code, fenced, html_code, word
from review.review import Review
from review.stack_review import StackReview
from stacks.acknowledge import written, yaml_block
from stacks.running_work import Stop

# What the workflow that posts finds its own comment by.
MARK = "<!-- gke-ai-stacks-review -->"
_PAST = {"create": "created", "update": "updated", "replace": "replaced", "delete": "deleted"}
_SHOWN = 60
_ERRORS = 20
_STOPS = 8
_SENTENCE = 1000
_DIFF_LINES = 400
_ELSEWHERE = "the whole of it is in the JSON report"


def markdown(review: Review) -> str:
    """The whole report, dangers first, in at most LONGEST characters."""
    sections = [Section(_head(review)), *_dangers(review), Section(_stacks(review))]
    for one in review.stacks:
        sections += _details(one)
    sections.append(Section(_foot(review)))
    return fitted(sections, LONGEST - 1) + "\n"


def _head(review: Review) -> str:
    refused = sum(
        sum(not it.acknowledged for it in one.dangers) + len(one.not_agreed)
        for one in review.stacks
    )
    failed = [word(one.stack) for one in review.stacks if one.status == "failed"]
    verdict: list[str] = []
    if refused:
        many = "1 thing" if refused == 1 else f"{refused} things"
        verdict.append(f"**Refused: {many} to agree to or to correct, see below.**")
    if failed:
        verdict.append(f"**Not compared: {', '.join(failed)}.**")
    stops = [stop for one in review.stacks for stop in one.stops]
    if stops:
        verdict.append(f"**Running work stops: {_named(stops)}.**")
    if not refused and not failed:
        what = "No machine and no stored data is" if stops else "Nothing is"
        verdict.append(f"{what} lost that was not agreed to.")
    title = f"## What this change does to the stacks\n\nAgainst `{review.commit[:12]}`"
    return f"{MARK}\n{title}. {' '.join(verdict)}"


def _named(stops: Sequence[Stop]) -> str:
    left = len(stops) - _STOPS
    shown = ", ".join(code(it.runs) for it in stops[:_STOPS])
    return f"{shown}{f', and {left} more' if left > 0 else ''}"


def _dangers(review: Review) -> Iterator[Section]:
    rows: list[str] = []
    for one in review.stacks:
        for it in one.dangers:
            agreed = "agreed" if it.acknowledged else "**no**"
            rows.append(
                f"| {word(one.stack)} | {code(it.resource)} {_PAST[it.verb]} | {code(it.cause)} "
                f"| {code(it.radius)} | {agreed} |"
            )
    if rows:
        table = [
            "### Dangers",
            "",
            "| stack | resource | cause | what is lost | agreed to |",
            "| --- | --- | --- | --- | --- |",
        ]
        whole, few = "\n".join(table + rows), "\n".join(table + rows[:_SHOWN])
        left = len(rows) - _SHOWN
        yield Section(whole, f"{few}\n\n{left} more dangers; {_ELSEWHERE}.", 1 if left > 0 else 0)
    for one in review.stacks:
        if (one.refused or one.spent) and one.status != "removed":
            yield Section(_to_agree(one), f"How to agree for {word(one.stack)}: {_ELSEWHERE}.", 2)


def _to_agree(one: StackReview) -> str:
    lines: list[str] = []
    file = code(f"Pulumi.{one.stack}.yaml")
    entries = [line for it in one.dangers for line in it.entries] + [*one.stop_entries]
    if entries:
        lines += [
            f"If that is wanted, say so under `stack` in {file}, and take it out again afterwards:",
            "",
            fenced(yaml_block(entries), "yaml"),
        ]
    lines += [
        f"- {file} has {code(written(it))}, which agrees to nothing any more: delete it."
        for it in one.spent
    ]
    return "\n".join(lines)


def _stacks(review: Review) -> str:
    rows = [
        "### Stacks",
        "",
        "| stack | change | USD an hour | USD a month | GPUs, TPUs | `up` |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    rows += [
        f"| {_placed(one)} | {counted(one)} | {money(one)} | {month(one)} | {_devices(one)} "
        f"| {_about(one) if one.makespan_s else ''} |"
        for one in review.stacks
    ]
    if len(known := [one.after for one in review.stacks if one.after is not None]) > 1:
        together = Cost(tuple(part for cost in known for part in cost.parts))
        rows.append(f"| **together** | | {bill(together)} | {monthly(together)} | | |")
    return "\n".join(rows)


def _placed(one: StackReview) -> str:
    return f"{word(one.stack)}, on {word(one.platform)}" if one.platform else word(one.stack)


def counted(one: StackReview) -> str:
    """How many resources go through what."""
    counts = ", ".join(f"{count} {_PAST[verb]}" for verb, count in one.counts.items())
    if one.status in ("same", "waits"):
        return one.note
    return (
        counts if one.status == "changed" else f"{one.status}; {counts}" if counts else one.status
    )


def _devices(one: StackReview) -> str:
    before, after = (_of_cost(it) for it in (one.before, one.after))
    return after if one.before is None or before == after else f"{before} -> {after}"


def _of_cost(cost: Cost | None) -> str:
    devices = {} if cost is None else cost.devices
    return ", ".join(f"{span(it)} {word(kind)}" for kind, it in sorted(devices.items())) or "none"


def _details(one: StackReview) -> Iterator[Section]:
    if one.errors:
        lines = fenced("\n".join(one.errors[:_ERRORS]), "text")
        yield Section(f"### {word(one.stack)}\n\n{one.note}:\n\n{lines}", "", 3)
    if not one.changes:
        return
    note = f"\n\n{one.note[0].upper()}{one.note[1:]}." if one.note and not one.errors else ""
    title = "" if one.errors else f"### {word(one.stack)}"
    warned = "".join(
        f"\n- Running work stops: {code(str(it), _SENTENCE)}"
        + (", **not agreed to**" if it in one.not_agreed else "")
        for it in one.stops
    )
    warned += "".join(f"\n- Take care: {code(line)}" for line in one.warnings)
    warned += "".join(f"\n- {code(line, _SENTENCE)}" for line in one.not_estimated)
    if one.refusal:
        warned += f"\n\nAn `up` refuses this:\n\n{fenced(one.refusal, 'text')}"
    yield Section(f"{title}{note}\n{warned}".strip())
    yield _changes(one)
    if one.chain:
        yield _folded(one, "time of `up`", "\n".join(_chain(one)), 4)
    if one.after is not None and one.after.parts:
        yield _folded(one, "cost by component", "\n".join(parts(one.after)), 5)
    if one.manifests:
        yield _manifests(one)
    if one.mermaid:
        yield _folded(one, "picture", fenced(one.mermaid, "mermaid"), 9)


def _changes(one: StackReview) -> Section:
    lines = [_line(change) for change in one.changes]
    if one.status in ("new", "removed"):
        return _folded(one, f"{len(lines)} resources", "\n".join(lines), 6)
    few = lines[:_SHOWN]
    left = len(lines) - len(few)
    short = "\n".join([*few, f"- and {left} more; {_ELSEWHERE}"]) if left > 0 else ""
    return Section("\n".join(lines), short or f"{len(lines)} changes; {_ELSEWHERE}.", 3)


def _line(change: Change) -> str:
    kind = change.type.rsplit(":", 1)[-1]
    why = "; ".join(code(str(cause)) for cause in change.causes)
    return f"- {change.verb} {code(change.name)} ({word(kind)}){': ' if why else ''}{why}"


def _chain(one: StackReview) -> Iterator[str]:
    yield (
        f"About {_about(one)} of cloud time; {_time(one.sequential_s)} one after the "
        "other. What it cannot be faster than:"
    )
    yield ""
    yield "| step | time |\n| --- | --- |"
    for verb, name, seconds in one.chain:
        yield f"| {word(verb)} {code(name)} | {_time(seconds)} |"
    yield from first_step_lines(one.courses)


def _manifests(one: StackReview) -> Section:
    lines = one.manifests.splitlines()
    shown = fenced("\n".join(lines[:_DIFF_LINES]), "diff")
    left = len(lines) - _DIFF_LINES
    more = f"\n\n{left} lines more; {_ELSEWHERE}." if left > 0 else ""
    return _folded(one, "Kubernetes manifests", f"{shown}{more}", 8)


def _folded(one: StackReview, title: str, text: str, rank: int) -> Section:
    whole = f"<details><summary>{html_code(one.stack)}: {title}</summary>\n\n{text}\n\n</details>"
    size = f"{len(text):,} characters"
    return Section(
        whole, f"Left out for length: {title} of {word(one.stack)} ({size}); {_ELSEWHERE}.", rank
    )


def _foot(review: Review) -> str:
    runs = sum(1 for one in review.stacks if one.engine_s)
    return (
        f"<sub>The Pulumi engine ran {runs} stacks on the sandbox, with no cloud account. "
        "Times and prices are estimates; unknown never counts as zero. `docs/pull-requests.md` "
        "says how to read this.</sub>"
    )


def _about(one: StackReview) -> str:
    """The likely time, and between what and what it may be."""
    low, high = _time(one.low_s), _time(one.high_s)
    if low.endswith("min") and high.endswith("min"):
        low = low.removesuffix(" min")
    return f"{_time(one.makespan_s)} ({low} to {high})"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return (
        str(timedelta(seconds=round(seconds))) + " h"
        if minutes >= 60
        else f"{minutes}:{rest:02} min"
    )
