"""The language server. Everything but `server.py` is functions of a text and a place in it, free of
the protocol; places are code point offsets there."""
