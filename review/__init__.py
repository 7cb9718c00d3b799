"""What a change to the program does to every stack, found by the engine with no cloud account."""
