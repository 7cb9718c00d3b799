"""The words of Kubernetes that both modes share: objects, kinds, readiness, charts."""
