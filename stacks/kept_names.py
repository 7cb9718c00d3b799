"""Names that an earlier release of the program gave: what has one keeps it.

Another name would be another resource, and of a range one that overlaps with it.
"""

import pulumi

from stacks.on_record import Record
from stacks.refusal import ADDRESS


def install(record: Record) -> None:
    def keep(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        there = record.get(args.type_, args.name) if args.type_ == ADDRESS else None
        if there is None:
            return None
        had = (there.outputs["address"], there.outputs["prefixLength"])
        if had != (args.props["address"], args.props["prefix_length"]):
            return None
        return pulumi.ResourceTransformationResult(
            {**args.props, "name": there.outputs["name"]}, args.opts
        )

    pulumi.runtime.register_stack_transformation(keep)
