"""Text to tree: tokens, lexer, nodes, parser."""
