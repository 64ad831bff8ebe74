"""The checks: per invariant one page, `<slug>.md`, and one checker, `<slug>.py`. They are found, not listed."""
