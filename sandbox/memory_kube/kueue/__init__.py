"""Kueue's rules about manifests. Queued work is admitted at once: quota, order, borrowing and
preemption are the real Kueue's, which `make kube-tools` builds."""
