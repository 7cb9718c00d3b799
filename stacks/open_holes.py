"""Published holes that a stack's images are open to, one line for each image. No Pulumi import."""

from collections.abc import Collection, Iterator, Mapping

from catalog import Catalog
from catalog.known_holes import Way
from stacks.plan import Plan

# Servers answer requests. Which ports a job opens by itself, and to whom, is not judged.
_OF_SERVERS = (Way.REQUEST, Way.MODEL)
_OF_RAY = (Way.PAGE, Way.MODEL, Way.DATA)
_OF_JOBS = (Way.MODEL, Way.DATA)


def advice(plan: Plan) -> Iterator[str]:
    facts = plan.facts
    for server in plan.servers.values():
        has = facts.software_of(server.image)
        yield from _line(facts, f"{server.field}.image", server.image, has, _OF_SERVERS)
    for ray in plan.ray.values():
        has = {**facts.software_of(ray.image), "ray": ray.version}
        yield from _line(facts, f"{ray.field}.image", ray.image, has, _OF_RAY)
    for job in (*plan.fine_tunings.values(), *plan.scripts.values()):
        has = facts.software_of(job.image)
        yield from _line(facts, f"{job.field}.image", job.image, has, _OF_JOBS)


def _line(
    facts: Catalog,
    field: str,
    image: str,
    versions: Mapping[str, str],
    ways: Collection[Way],
) -> Iterator[str]:
    holes = list(facts.known_holes.of(versions, ways))
    if not holes:
        return
    has = " and ".join(f"{name} {versions[name]}" for name in dict(holes))
    listed = "; ".join(f"{it.id}, {it.what}" for _, it in holes)
    closing = facts.known_holes.closing(versions, ways)
    nearest = " and ".join(f"{name} {version}" for name, version in closing.items())
    yield (
        f"{field}: {image.partition('@')[0]} has {has}, with known holes: {listed}; "
        f"nearest: an image of your own with {nearest} or newer (docs/pins.md)"
    )
