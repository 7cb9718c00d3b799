"""Rules between fields: each takes plain blocks and returns the problems it finds. No Pulumi."""
