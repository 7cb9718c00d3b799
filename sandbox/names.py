"""Names that the whole sandbox uses."""

PROJECT = "gke-ai-stacks"
