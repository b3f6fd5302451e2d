"""The host functions that generated programs call, one module per namespace of `flint::`.

A host function is one annotated function with a docstring; the compiler reads names, types and
texts from the source of these modules.
"""

# RustScript namespace (`flint::<key>::…`) to the module below this package that implements it.
NAMESPACES = {"runtime": "program", "ggml": "ggml", "llama": "llama"}
