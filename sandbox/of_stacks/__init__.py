"""What a run of a stack of this project has besides any program's: its plan, its ways to the first
step, people's work in it, and why it was refused or failed."""
