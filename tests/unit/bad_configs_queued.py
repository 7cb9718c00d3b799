"""Bad input of kueue-mixed about Kueue and what its queues admit: where it has no room, whose it is
and how long it may take to be ready."""

from tests.unit.bad_configs_queues import Bad

# (what is set in kueue-mixed, by path; the field that is named; the end of the message)
BAD_QUEUED: Bad = [
    # What is admitted and has no room
    (
        {"server__gpus": 1, "server__replicas": 2, "server__model": "google/gemma-2-2b-it"},
        "stack.fine_tune.pods",
        "2 pods may be admitted beside as many of server as leave them the quota, but spread over "
        "3 nodes those leave too few of them room, and the rest would wait for ever; "
        "nearest: 1, or 4 nodes",
    ),
    (
        {
            "gpu_pool__nodes": 3,
            "extra_gpu_pools": {"more": {"machine_type": "g2-standard-24", "nodes": 2}},
            "kueue__flavors": {"first": {}, "second": {"pool": "extra_gpu_pools.more"}},
            "fine_tune__pods": 4,
        },
        "stack.fine_tune.queue",
        "4 pods would wait for ever for what cluster-queue never has in one flavor, and first has "
        "most: 92 of 70.11 CPUs, 8 of 6 GPUs; nearest: 3 pods, or a larger quota",
    ),
    # Names that are taken
    (
        {"fine_tune__name": "tgi-gemma-deployment"},
        "stack.fine_tune.name",
        "both have a Service of theirs; nearest: tgi-gemma-deployment-tuning",
    ),
    (
        {"kueue__namespaces": ["research", "research"]},
        "stack.kueue.namespaces[1]",
        '"research" is there twice; nearest: leave it out',
    ),
    (
        {"kueue__priorities__0__name": "system-low"},
        "stack.kueue.priorities[0].name",
        "start with system- for its own classes; nearest: low",
    ),
    # Whose a queue and a cohort are
    (
        {"kueue__cluster_queues__cluster-queue__namespaces": ["default"]},
        "stack.kueue.local_queues[0].cluster_queue",
        "takes nothing of the namespace llm, so all would wait for ever; "
        "nearest: llm in its namespaces",
    ),
    (
        {"kueue__cluster_queues__cluster-queue__namespaces": ["llm", "llms"]},
        "stack.kueue.cluster_queues.cluster-queue.namespaces[1]",
        "nearest: llm",
    ),
    (
        {"kueue__cohorts": {"a": {"parent": "b"}, "b": {"parent": "a"}}},
        "stack.kueue.cohorts.a.parent",
        '"b" is below a itself; nearest: leave it out',
    ),
    # What is not ready in Kueue's time
    (
        {"kueue__ready_minutes": 20, "server__minutes": 45},
        "stack.kueue.ready_minutes",
        "after 20 minutes Kueue stops what is not ready, and by server.minutes it may take 45; "
        "nearest: 45",
    ),
    (
        {"kueue__ready_minutes": 60, "gpu_pool__capacity": {"mode": "flex-start"}},
        "stack.kueue.ready_minutes",
        "and by gpu_pool.capacity.mode it may take 10080; nearest: 10080",
    ),
    # Kueue
    (
        {"kueue__version": "0.10.0"},
        "stack.kueue.version",
        "kueue 0.10.0 serves ClusterQueue as kueue.x-k8s.io/v1beta1, and the stack's objects are "
        "kueue.x-k8s.io/v1beta2; nearest: 0.19.2",
    ),
    (
        {"kueue__version": "0.19.1"},
        "stack.kueue.version",
        '"0.19.1" is not a release of kueue the catalog knows; nearest: 0.19.2, 0.18.6, 0.17.8',
    ),
    (
        {"kueue__frameworks": ["batch/job", "pods"]},
        "stack.kueue.frameworks",
        '"pods" is not a framework that Kueue integrates; nearest: pod',
    ),
    (
        {"kueue__frameworks": ["batch/job"]},
        "stack.kueue.frameworks",
        "without pod server would wait in its queue for ever; nearest: pod beside the others",
    ),
    (
        {"kueue__frameworks": ["pod"]},
        "stack.kueue.frameworks",
        "without batch/job fine_tune would wait in its queue for ever; "
        "nearest: batch/job beside the others",
    ),
    *(
        ({f"kueue__{part}": empty}, f"stack.kueue.{part}", "not 0; nearest: one of them")
        for part, empty in (("flavors", {}), ("cluster_queues", {}), ("local_queues", []))
    ),
    (
        {"kueue__cluster_queues__cluster-queue__preemption": {"within_queue": "Any"}},
        "stack.kueue.cluster_queues.cluster-queue.preemption.within_queue",
        "nearest: LowerOrNewerEqualPriority, LowerPriority, Never",
    ),
]
