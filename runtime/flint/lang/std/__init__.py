"""The built-in namespaces of RustScript (language.md 6.3 to 6.9), one module each.

A function's annotations are its RustScript signature (`int | float` is `number`, `object` and `Any`
any value). Names that are Python keywords would carry a trailing underscore; today none is.
"""

NAMESPACES: dict[str, str] = {
    "bytes": "flint.lang.std.bytes",
    "io": "flint.lang.std.io",
    "jit": "flint.lang.std.jit",
    "json": "flint.lang.std.json",
    "math": "flint.lang.std.math",
    "re": "flint.lang.std.re",
    "runtime": "flint.lang.std.runtime",
}
"""RustScript namespace to Python module; the compiler reads this table."""
