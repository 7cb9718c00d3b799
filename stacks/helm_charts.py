"""Charts that a stack installs, at versions of the lock."""

from components.base.helm import HelmChartArgs
from stacks.plan import Plan


def helm_chart(plan: Plan, component: str, version: str | None = None) -> HelmChartArgs:
    """The chart of a component in the version lock, at `version` or the lock's."""
    chart = plan.facts.component(component).chart
    # Whatever the lock lets a stack install has one.
    assert chart is not None
    release = plan.facts.release(component, version)
    return HelmChartArgs(
        chart=chart.name,
        repository=chart.repository,
        version=release,
        digest=chart.checked_digest(release),
    )
