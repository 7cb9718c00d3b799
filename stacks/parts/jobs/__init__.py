"""Jobs, one module a type."""
