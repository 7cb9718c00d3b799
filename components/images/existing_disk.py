"""A disk image of Compute Engine that exists already: read, never made, changed or deleted.

Leaves out what is on it, and whether it is deprecated: the provider's function reads neither
(hashicorp/terraform-provider-google-beta google-beta/services/compute/
data_source_google_compute_image.go, 332d9894, 2026-11-25).
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.existing import Part, read_part
from ..base.existing_facts import DiskImageFacts


@dataclass(frozen=True, kw_only=True)
class ExistingDiskImageArgs:
    """By its name, not by a family, whose newest image would be another one tomorrow."""

    project: str
    image: str


def existing_disk_image(args: ExistingDiskImageArgs, provider: gcp.Provider) -> DiskImageFacts:
    """Its name is the config's, so there is nothing else to hand out. Raises ExistingPartError
    where it is not there."""
    image = read_part(
        Part(
            kind="disk image",
            name=args.image,
            place=f"the images of project {args.project}",
            listing="compute images list --no-standard-images",
            options={"project": args.project},
        ),
        lambda: gcp.compute.get_image(
            name=args.image,
            project=args.project,
            opts=pulumi.InvokeOptions(provider=provider),
        ),
    )
    return DiskImageFacts(project=args.project, name=args.image, status=image.status)
