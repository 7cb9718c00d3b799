"""Jobs without Ray."""
