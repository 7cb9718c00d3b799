"""A stack as a list of parts: what users say, what follows from it, and what is made."""
