"""The simulated Google Cloud: what exists in one project, and the rules that a real cloud
enforces."""
