"""VPCs, further interfaces of nodes, and the way to Google's managed services."""
