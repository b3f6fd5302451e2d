"""`python -m flint` is the `flint` command."""

from flint.cli import main

if __name__ == "__main__":
    main()
