"""The host functions that generated programs call, one module per namespace of `flint::`.

A host function is one annotated function with a docstring; the compiler reads names, types and
texts from the source of these modules.
"""

# RustScript namespace (`flint::<key>::…`) to the module below this package that implements it.
NAMESPACES = {
    "runtime": "program",
    "cache": "cache",
    "fixed": "fixed",
    "graph": "graph",
    "tokenizer": "tokenizer",
    "weights": "weights",
    "pair": "pair",
    "tensor": "tensor",
    "nn": "nn",
    "image": "image",
    "vl": "vl",
    "ggml": "ggml",
    "llama": "llama",
    "diffusion": "sd",  # the newer name; errors and generated modules say sd
    "sd": "sd",
    "cli": "cli",
}
