"""The ten programs of tests/conformance/bench, written by hand with the same loops and steps.

They are what a Python programmer writes who sees that no index leaves its array and, but for
`collatz`, no int 64 bits. `ackermann`, `fib` and `closures` leave the limit of nested calls to
Python's own. `result()` gives the program's last value.
"""
