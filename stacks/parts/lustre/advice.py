"""What a key of the customer's on a Lustre instance may cost. No Pulumi import."""

from collections.abc import Iterator

from stacks.plan import Plan


def advice(plan: Plan) -> Iterator[str]:
    """Google says both: "CMEK-protected Managed Lustre instances cannot be used with Google
    Kubernetes Engine" (Managed Lustre documentation, "Customer-managed encryption keys for Managed
    Lustre", read 2026-11-27), and its own daily test mounts one there (GoogleCloudPlatform/
    cluster-toolkit tools/cloud-build/daily-tests/tests/gke-managed-lustre.yml, 38a3c02b of
    2026-06-11). A key is for the life of an instance."""
    stack = plan.stack
    if stack.makes_lustre and stack.key_of(stack.lustre) is not None:
        yield (
            "stack.lustre: is made with the key of cmek, and Google's documentation says that such "
            "an instance cannot be used with GKE, where Google's own daily test mounts one; if it "
            "does not mount, only another instance helps, without the data of this one; nearest: "
            "lustre.cmek: false, for Google's key (docs/hardened.md)"
        )
