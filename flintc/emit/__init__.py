"""RustScript tree to Python tree to text."""
