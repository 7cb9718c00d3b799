"""Runs Pulumi programs that are none of ours: in their own folder, by Pulumi's CLI, on the
stand-ins."""
