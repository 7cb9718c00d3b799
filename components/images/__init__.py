"""Images of containers and disks."""
