"""What a program means: names, types, ownership, and what emission may leave out."""
