"""What runs in Ray's pods before Ray does, for the job that they are for."""

from components.ray_cluster import RaySetupArgs
from stacks.parts.jobs import verl_workload
from stacks.parts.jobs.config import VerlTraining
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan


def setup_of(plan: Plan, ray: PlannedRay) -> RaySetupArgs | None:
    """verl on each pod's own disk."""
    # The rules refuse a second one.
    job = next((it for it in ray.jobs if isinstance(it, VerlTraining)), None)
    if job is None:
        return None
    storage = plan.storage_of(job)
    # The rules refuse a training without any.
    assert storage is not None
    tag = None if job.preparation is None else code_tag(plan, job)
    return RaySetupArgs(
        script=verl_workload.setup(),
        arguments=verl_workload.setup_arguments(plan.mount_path(storage), tag),
        directory=verl_workload.PACKAGE_DIR,
    )


def code_tag(plan: Plan, job: VerlTraining) -> str:
    """The release of verl that the job runs."""
    released = plan.facts.component("verl").version
    # The lock has a version for everything that GKE does not choose.
    assert released is not None
    return job.code_tag or released
