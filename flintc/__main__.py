"""`python -m flintc`."""

from flintc.cli import main

if __name__ == "__main__":
    main(prog_name="flintc")
