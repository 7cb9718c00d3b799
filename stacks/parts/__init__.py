"""The parts that a stack is made of, one folder each: what the user says of it (config), what
follows from that (plan), what is refused (rules), and what is made (build)."""
