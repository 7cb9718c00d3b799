"""The fixture that users have of the plugin."""

from sandbox.pytest_plugin import gke_ai_sandbox

__all__ = ["gke_ai_sandbox"]
