"""The pulls of images that a plan has: what waits for them, and which stream when they come."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from catalog.durations import WITH_IMAGES, Durations
from cli.urns import token_of
from sandbox.bounds import ends
from sandbox.clock import Span
from sandbox.image_pulls import (
    ON_DISK,
    PULL,
    STREAMED,
    Ground,
    Inputs,
    disk_urn,
    images_of,
    pull_urn,
    streaming_after_all,
)
from sandbox.schedule import TimedStep, graph_of


def with_pulls(
    steps: Iterable[TimedStep],
    dependencies: Mapping[str, Iterable[str]],
    inputs: Mapping[str, Inputs],
    durations: Durations,
    sources: Mapping[str, Collection[str]] | None = None,
) -> tuple[list[TimedStep], dict[str, set[str]], dict[str, Inputs]]:
    """The steps of a plan with the pulls, what waits for what then, and the inputs of all. Pods
    whose pool has no name yet are on one of those among the `sources` of their values."""
    known, ground = list(steps), Ground()
    made = {it.urn for it in known if it.operation == "create"}
    # A pool that changes has other nodes.
    other = {it.urn for it in known if it.operation != "delete"}
    for urn, one in inputs.items():
        ground.learn(urn, one, made=urn in made)
    waits = {urn: set(needed) for urn, needed in dependencies.items()}
    ways: dict[str, Inputs] = {}
    pulls: list[TimedStep] = []
    for step in known:
        if step.operation != "create" or token_of(step.urn) not in WITH_IMAGES:
            continue
        for urn, way, needed in _pulls(
            ground, step.urn, inputs[step.urn], other, (sources or {}).get(step.urn, ())
        ):
            if urn not in ways:
                ways[urn] = way
                pulls.append(_step(urn, way, durations))
                waits[urn] = needed or set(waits.get(step.urn, ()))
            waits.setdefault(step.urn, set()).add(urn)
    # The place of a creation after a delete has a meaning to the schedule.
    known = [*pulls, *known]
    later = streaming_after_all(_spans(known, waits, ways), ways)
    ways |= {urn: {"way": STREAMED} for urn in later}
    known = [_step(it.urn, ways[it.urn], durations) if it.urn in later else it for it in known]
    return known, waits, {**inputs, **ways}


def without_pulls(
    steps: Iterable[TimedStep], dependencies: Mapping[str, Iterable[str]]
) -> tuple[list[TimedStep], dict[str, set[str]]]:
    """What such a plan was of."""
    waits = {
        urn: {it for it in needed if token_of(it) != PULL}
        for urn, needed in dependencies.items()
        if token_of(urn) != PULL
    }
    return [it for it in steps if token_of(it.urn) != PULL], waits


def _step(urn: str, way: Inputs, durations: Durations) -> TimedStep:
    return TimedStep(urn, "create", durations.seconds(PULL, "create", way))


def _pulls(
    ground: Ground, urn: str, inputs: Inputs, other: set[str], sources: Collection[str]
) -> Iterator[tuple[str, Inputs, set[str]]]:
    """The pulls that pods wait for: URN, way, and what each waits for, if it is a preload's."""
    rest: set[str] = set()
    some, everywhere = ground.on_disks(inputs, sources)
    if some:
        yield disk_urn(urn), {"way": ON_DISK}, set()
    for image in images_of(inputs) - everywhere:
        preloads = ground.preloads_of(image)
        if not preloads:
            rest.add(image)
        for preload in preloads:
            images = images_of(ground.preloads[preload])
            for pool in sorted(ground.pools_of(preload)):
                if needed := other & {preload, pool}:
                    yield pull_urn(pool), ground.way(images, [pool]), needed
    if rest:
        yield pull_urn(urn), ground.way(rest), set()


def _spans(
    steps: Iterable[TimedStep],
    waits: Mapping[str, Iterable[str]],
    ways: Iterable[str],
) -> dict[str, Span]:
    graph, weights = graph_of(steps, waits)
    seconds = {node: step.seconds for node, step in weights.items()}
    ended = ends(graph, seconds, {})
    return {
        urn: Span(ended[urn, "make"] - seconds[urn, "make"], ended[urn, "make"]) for urn in ways
    }
