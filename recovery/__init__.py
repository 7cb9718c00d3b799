"""Brings a stack's state back in step with the cloud after an `up` that was killed."""
