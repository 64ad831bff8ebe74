"""spyre-lint: tells whether a Triton kernel is fit for IBM Spyre, before any compiler sees it."""

__version__ = "0.1.0"
