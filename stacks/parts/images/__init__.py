"""Where pods get their images from."""
