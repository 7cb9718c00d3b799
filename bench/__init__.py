"""`make bench`: the figures that the project promises, measured as ratios within one run."""
