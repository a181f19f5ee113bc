"""`python -m turngraph` is the command `turngraph`."""

from .cli import main

main()
