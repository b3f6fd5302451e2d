"""All that touches llama-cpp-python: its low-level C API behind Python values.

Nothing here checks what a program passes; callers do, since llama.cpp aborts the process where it
asserts. Pointers are ints. The library is loaded at the first call, not at import.
"""
