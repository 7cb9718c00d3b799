"""The stand-ins that the real engine talks to in place of the gcp and kubernetes plugins."""
