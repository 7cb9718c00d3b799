"""The address plan and the VPC of the cluster."""
