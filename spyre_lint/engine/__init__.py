"""The engine: from paths to a report.

`run.check_paths` finds the files, has them read and checked by one or several `shard.Shard`s, and makes of their
results the findings of a `Report`: settled over bindings, silenced, suppressed, selected, ordered.
"""

from __future__ import annotations

from spyre_lint.engine.run import RunOptions, check_paths

__all__ = ["RunOptions", "check_paths"]
