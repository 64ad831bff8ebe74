"""Which packages are installed; everything else about the distribution is in pyproject.toml.

`checks/` stands at the top of the tree, where authors of rules look for it, and is installed inside the package as
`spyre_lint.checks`. `spyre_lint/checks` is a link to it, for running and type-checking a checkout; building does not
need the link, because not every platform has links.
"""

from __future__ import annotations

from setuptools import find_packages, setup

setup(
    packages=sorted({*find_packages(include=["spyre_lint", "spyre_lint.*"]), "spyre_lint.checks"}),
    package_dir={"spyre_lint.checks": "checks"},
)
