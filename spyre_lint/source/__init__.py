"""Finding and reading the files to lint: discovery, roles, decoding, comments."""
