"""A grant on a bucket that is made anew as it was goes before it is made.

The engine makes a new one first, which to IAM is the one that is there, and deletes that
(pulumi/pulumi-gcp #2463): state and preview then have a grant that nobody has. One with another
role or for another member stands beside the one before, and comes first: who uses the bucket keeps
it, and the claim that pods mount stays until they are gone.
"""

import pulumi

from stacks.arguments import plain
from stacks.on_record import Record

_TYPE = "gcp:storage/bucketIAMMember:BucketIAMMember"


def install(record: Record) -> None:
    async def order(
        args: pulumi.ResourceTransformArgs,
    ) -> pulumi.ResourceTransformResult | None:
        there = record.get(args.type_, args.name) if args.type_ == _TYPE else None
        if there is None:
            return None
        wanted = await plain(args.props)
        # A member that is known later is another one.
        if any(wanted.get(it) != there.outputs.get(it) for it in ("role", "member")):
            return None
        first = pulumi.ResourceOptions(delete_before_replace=True)
        options = pulumi.ResourceOptions.merge(args.opts, first)
        return pulumi.ResourceTransformResult(args.props, options)

    pulumi.runtime.register_resource_transform(order)
