"""What Kueue puts into queues, by the names that its configuration has for them. Pure.

Source: kubernetes-sigs/kueue v0.19.2.
"""

# Whose kinds every stack's cluster has, or those with Ray; nothing here installs what makes others.
DEFAULT_FRAMEWORKS = ("batch/job", "pod", "ray.io/raycluster", "ray.io/rayjob")
# All that Kueue integrates: FrameworkName in pkg/controller/jobs. For definitions that are missing
# it waits (pkg/controller/jobframework/setup.go).
FRAMEWORKS = frozenset(
    {
        *DEFAULT_FRAMEWORKS,
        "deployment",
        "jobset.x-k8s.io/jobset",
        "kubeflow.org/jaxjob",
        "kubeflow.org/mpijob",
        "kubeflow.org/paddlejob",
        "kubeflow.org/pytorchjob",
        "kubeflow.org/tfjob",
        "kubeflow.org/xgboostjob",
        "leaderworkerset.x-k8s.io/leaderworkerset",
        "ray.io/rayservice",
        "sparkoperator.k8s.io/sparkapplication",
        "statefulset",
        "trainer.kubeflow.org/trainjob",
        "workload.codeflare.dev/appwrapper",
    }
)
