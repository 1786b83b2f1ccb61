"""`python -m truecopy`: for machines where the `truecopy` script is not on the path."""

from truecopy.cli import main

if __name__ == "__main__":
    main()
