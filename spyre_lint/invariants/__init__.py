"""Invariants of a project: files found at each run, and what checks kernels against them.

An invariant is a Markdown file. Its checker is a built-in one with the same slug, a Python module (an installed
package's entry point, or a local file that the configuration names), or the file's own front matter.
"""
