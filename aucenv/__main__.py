"""`python -m aucenv` is the command `aucenv` of this Python."""

from aucenv.cli import main

if __name__ == "__main__":
    main()
