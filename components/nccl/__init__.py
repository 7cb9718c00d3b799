"""GPUs' drivers, and what they talk to each other by."""
