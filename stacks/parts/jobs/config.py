"""What runs on the cluster by itself: one class for each type of job. No Pulumi import."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from catalog import Catalog
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.image_classifier import ImageClassifierTraining
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.nemo_rl import NemoRlJob
from stacks.parts.jobs.on_ray import RayDemands
from stacks.parts.jobs.script import Script
from stacks.parts.jobs.verl import VerlTraining

Training = NemoRlJob | VerlTraining | MaxTextTraining | ImageClassifierTraining
# A script, too, where it names a RayCluster.
RayJob = Training | Script
Job = Annotated[RayJob | FineTuning, Field(discriminator="type")]


def demands_of(jobs: Sequence[RayJob], kinds: Iterable[str], facts: Catalog) -> RayDemands:
    """Those of all jobs at once; the rules refuse trainings that want different images. `kinds` are
    those of the workers' pools; with scripts the user brings jobs, without any job does so later.
    """
    found = [it.demands(facts) for it in jobs if not isinstance(it, Script)]
    if len(found) < len(jobs) or not jobs:
        # Their image is whichever is there.
        own = "ray_tpu" if "tpu" in set(kinds) else "ray_gpu"
        found.append(RayDemands(image=found[0].image if found else own, files_per_gpu=1))
    return RayDemands(
        image=found[0].image,
        files_per_gpu=max(it.files_per_gpu for it in found),
        packages=tuple(dict.fromkeys(one for it in found for one in it.packages)),
        written_gib=max(it.written_gib for it in found),
        head_is_enough=any(it.head_is_enough for it in found),
        head_runs_nothing=any(it.head_runs_nothing for it in found),
        scratch=next((it.scratch for it in found if any(it.scratch)), (None, None)),
    )
