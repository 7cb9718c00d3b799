"""maxtext_trainer.py, unchanged but that Ray looks for slices that are back every second."""

from typing import Any

import maxtext_trainer
import ray.cloudpickle

PLAN = maxtext_trainer.plan


def plan(job: maxtext_trainer.Job) -> dict[str, dict[str, Any]]:
    made = PLAN(job)
    made["scaling_config"]["elastic_resize_monitor_interval_s"] = 1.0
    return made


if __name__ == "__main__":
    maxtext_trainer.plan = plan
    ray.cloudpickle.register_pickle_by_value(maxtext_trainer)
    maxtext_trainer.main()
