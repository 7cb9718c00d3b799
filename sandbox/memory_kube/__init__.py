"""The in-memory Kubernetes: objects, schemas, admission, placement, small controllers."""
