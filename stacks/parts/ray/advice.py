"""Ray clusters that answer whoever reaches them, or may. No Pulumi import."""

from collections.abc import Iterator

from stacks.parts.ray.plan import PlannedRay, WhyNoToken
from stacks.plan import Plan


def advice(plan: Plan) -> Iterator[str]:
    """A line for each Ray cluster without a token, and for each whose image may have a Ray that
    asks for none: older ones pass over the variables."""
    for ray in plan.ray.values():
        if ray.why_no_token is not None:
            yield (
                f"{ray.field}: Ray asks for no token, so whoever reaches its head runs code there: "
                f"{_why(ray, ray.why_no_token)} (docs/security.md)"
            )
        elif not ray.says_its_ray:
            yield (
                f"{ray.field}.image: {ray.image} does not say which Ray it has, and is taken to "
                f"have {ray.version}; one older than {ray.kuberay.token_from_ray} asks for no "
                "token, so whoever reached its head would run code there; nearest: a tag with "
                f"ray-{ray.version} in it (docs/security.md)"
            )


def _why(ray: PlannedRay, why: WhyNoToken) -> str:
    oldest = ray.kuberay.token_from_ray
    match why:
        case WhyNoToken.RAY:
            return f"{ray.version} is older than {oldest}; nearest: an image with ray {oldest}"
        case WhyNoToken.OPERATOR_OF_OTHERS:
            return (
                "which KubeRay the cluster's owner has installed is not known; nearest: leave "
                "kuberay out of cluster.existing.operators once the owner has removed it"
            )
        case WhyNoToken.ADDON:
            only = "no published table says which KubeRay GKE's add-on has"
            if ray.has_tpus:
                return f"{only}, and for TPUs there is no other"
            image = "" if ray.kuberay.asks_for_token(ray.version) else f" and ray {oldest}"
            return f"{only}; nearest: cluster.ray_operator: helm{image}"
