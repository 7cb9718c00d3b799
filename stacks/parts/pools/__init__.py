"""Node pools: machines of one type each."""
