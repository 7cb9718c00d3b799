"""What many components share: lives, names, labels, ranges, charts and pods."""
