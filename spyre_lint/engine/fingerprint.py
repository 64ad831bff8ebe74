"""Fingerprints: the identity of a finding that survives edits elsewhere in its file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyre_lint.findings import Finding


def with_fingerprints(
    findings: Sequence[Finding], line: Callable[[str, int], str], relative: Callable[[str], str]
) -> list[Finding]:
    """The findings, which are in their final order, each with its fingerprint: 32 hexadecimal digits.

    It is made of the rule, the file's path below the root of its configuration, the kernel, the flagged line without
    its spacing, and a count among findings that are equal in all of these. Line numbers and messages are left out.
    """
    if not findings:
        return []
    import hashlib

    seen: dict[tuple[str, ...], int] = {}
    result: list[Finding] = []
    for finding in findings:
        place = finding.location
        text = " ".join(line(place.path, place.line).split())
        identity = (finding.code, relative(place.path), finding.kernel or "", text)
        count = seen[identity] = seen.get(identity, -1) + 1
        digest = hashlib.sha256("\0".join((*identity, str(count))).encode("utf-8", "surrogatepass"))
        result.append(finding.with_(fingerprint=digest.hexdigest()[:32]))
    return result
