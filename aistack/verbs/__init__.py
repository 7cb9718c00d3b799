"""What a user asks for, a module each."""
