"""What work of other people in a cluster uses, and what becomes of it when something goes."""
