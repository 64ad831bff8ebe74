"""`python -m spyre_lint`."""

from __future__ import annotations

from spyre_lint.cli import main

if __name__ == "__main__":
    main()
