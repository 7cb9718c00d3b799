"""Cloud Storage: buckets, who may use them, and mounts."""
