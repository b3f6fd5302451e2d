"""What runs LFM2: our program, transformers, llama.cpp, each in a process of its own.

`worker.Worker` starts `python -m benchmarks.engines ENGINE MODEL DTYPE LONGEST` and asks it for
measurements; the modules beside it are the engines.
"""
