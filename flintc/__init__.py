"""flintc: the RustScript compiler. Lowers `.rss` programs to readable Python modules."""

__version__ = "0.1.0"
