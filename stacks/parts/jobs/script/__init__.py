"""What the user brings: a command with files of theirs."""
