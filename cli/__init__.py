"""What the command lines share: output, errors, the Pulumi CLI, the project and its stacks."""
