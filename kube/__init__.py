"""Words of Kubernetes objects that the command line, reviews and the sandbox share."""
