from __future__ import annotations

import pytest

from spyre_lint.source.comments import NO_COMMENTS, Comments, read_comments


def codes(comments: Comments) -> list[tuple[int, str, list[str], int, int]]:
    return [(s.line, s.kind, [c.text for c in s.codes], s.first, s.last) for s in comments.suppressions]


def test_a_file_without_markers_is_not_tokenised() -> None:
    assert read_comments("def broken(:\n  '''") is NO_COMMENTS


def test_trailing_comment_covers_its_statement() -> None:
    found = read_comments("x = load(\n    p,  # spyre-lint: ignore[SPY101]\n)\ny = 1\n")
    assert codes(found) == [(2, "ignore", ["SPY101"], 1, 3)]


def test_comment_on_the_closing_line_and_on_its_own_line_inside() -> None:
    found = read_comments(
        "x = load(\n    # spyre-lint: ignore[SPY101]\n    p,\n)  # spyre-lint: ignore[raw-pointer-load]\n"
    )
    assert codes(found) == [(2, "ignore", ["SPY101"], 1, 4), (4, "ignore", ["raw-pointer-load"], 1, 4)]


def test_comment_above_covers_the_whole_next_statement() -> None:
    found = read_comments("# spyre-lint: ignore[SPY101, SPY110]\nx = load(\n    p,\n)\ny = 2\n")
    assert codes(found) == [(1, "ignore", ["SPY101", "SPY110"], 1, 4)]


def test_other_comments_may_stand_between_but_no_blank_line() -> None:
    near = read_comments("# spyre-lint: ignore[SPY101]\n# why\nx = 1\n")
    assert codes(near) == [(1, "ignore", ["SPY101"], 1, 3)]
    far = read_comments("# spyre-lint: ignore[SPY101]\n\nx = 1\n")
    assert codes(far) == [(1, "ignore", ["SPY101"], 1, 1)]


def test_trailing_comment_does_not_reach_the_next_statement() -> None:
    found = read_comments("x = 1  # spyre-lint: ignore[SPY101]\ny = 2\n")
    assert codes(found) == [(1, "ignore", ["SPY101"], 1, 1)]


def test_a_compound_statement_is_its_header() -> None:
    found = read_comments("for i in range(\n    n\n):  # spyre-lint: ignore[SPY305]\n    x = 1\n")
    assert codes(found) == [(3, "ignore", ["SPY305"], 1, 3)]


def test_decorators_belong_to_the_definition() -> None:
    text = "# spyre-lint: ignore[SPY601]\n@autotune(\n    a\n)\n@jit\ndef k(\n    p,\n):\n    x = a @ b\n    y = 2\n"
    found = read_comments(text)
    assert codes(found) == [(1, "ignore", ["SPY601"], 1, 8)]
    assert found.statements == ((2, 8), (9, 9), (10, 10))


def test_matrix_product_at_a_line_start_is_no_decorator() -> None:
    found = read_comments("x = (a\n@ b)  # spyre-lint: ignore[SPY101]\ny = 1\n")
    assert codes(found) == [(2, "ignore", ["SPY101"], 1, 2)]
    assert found.statements == ((1, 2), (3, 3))


def test_strings_are_no_comments() -> None:
    text = 'x = "# spyre-lint: ignore[SPY101]"\ny = """\n# spyre-lint: ignore[SPY102]\n# [gap] z\n"""\n'
    found = read_comments(text)
    assert found.suppressions == ()
    assert found.gaps == ()


def test_reason_and_other_tools_in_the_same_comment() -> None:
    found = read_comments("x = 1  # noqa: E501  # spyre-lint: ignore[SPY101] lowered by our compiler\n")
    (suppression,) = found.suppressions
    assert [c.text for c in suppression.codes] == ["SPY101"]
    assert (suppression.column, suppression.end_column) == (22, 50)
    (listed,) = suppression.codes
    assert (listed.column, listed.end_column) == (43, 49)


def test_columns_count_characters() -> None:
    found = read_comments("x = 'äöü'  # spyre-lint: ignore[ SPY101 ,SPY102]\n")
    assert [(c.text, c.column) for c in found.suppressions[0].codes] == [("SPY101", 34), ("SPY102", 42)]


@pytest.mark.parametrize(
    ("comment", "kind", "word", "closed", "listed"),
    [
        ("# spyre-lint: ignore", "ignore", "ignore", True, 0),
        ("# spyre-lint: ignore[]", "ignore", "ignore", True, 0),
        ("# spyre-lint: ignore[SPY101", "ignore", "ignore", False, 1),
        ("# spyre-lint:ignore-file[SPY101]", "ignore-file", "ignore-file", True, 1),
        ("#spyre-lint : ignore [SPY101]", "ignore", "ignore", True, 1),
        ("# spyre-lint: ingore[SPY101]", "unknown", "ingore", True, 1),
        ("# spyre-lint: off", "unknown", "off", True, 0),
        ("# spyre-lint:", "unknown", "", True, 0),
    ],
)
def test_forms(comment: str, kind: str, word: str, closed: bool, listed: int) -> None:
    (found,) = read_comments(f"x = 1  {comment}\n").suppressions
    assert (found.kind, found.word, found.closed, len(found.codes)) == (kind, word, closed, listed)


def test_prose_that_mentions_the_tool_is_no_directive() -> None:
    assert read_comments("# see the docs of spyre-lint: they say ignore[SPY101]\nx = 1\n").suppressions == ()


def test_ignore_file_counts_up_to_line_20() -> None:
    text = "\n" * 19 + "# spyre-lint: ignore-file[SPY101]\n# spyre-lint: ignore-file[SPY102]\n"
    first, second = read_comments(text).suppressions
    assert (first.line, first.covers_file) == (20, True)
    assert (second.line, second.covers_file) == (21, False)


def test_a_file_that_does_not_parse_gives_what_stands_before() -> None:
    found = read_comments("# spyre-lint: ignore-file[SPY901]\nx = 1\ny = (\n")
    assert [s.line for s in found.suppressions] == [1]


def test_gaps_attach_like_suppressions() -> None:
    text = (
        "d = make(p + off)  # [gap] no base offset, issue 12\n"
        "# [gap]: scalar loads\n# are not lowered\n# spyre-lint: ignore[SPY101]\nx = load(\n    p,\n)\n"
        "# [gap]\ny = 1\n"
    )
    found = read_comments(text)
    assert [(g.line, g.limitation, g.first, g.last) for g in found.gaps] == [
        (1, "no base offset, issue 12", 1, 1),
        (2, "scalar loads are not lowered", 2, 7),
        (8, "", 8, 9),
    ]
    assert found.gap_at(6) is found.gaps[1]
    assert found.gap_at(10) is None


def test_gap_and_suppression_in_one_comment() -> None:
    found = read_comments("x = 1  # [gap] no loads  # spyre-lint: ignore[SPY101]\n")
    assert found.gaps[0].limitation == "no loads"
    assert codes(found) == [(1, "ignore", ["SPY101"], 1, 1)]


def test_statement_at() -> None:
    found = read_comments("x = (\n 1\n)\n\ny = 1  # [gap] a\n")
    assert [found.statement_at(line) for line in (1, 3, 4, 5)] == [(1, 3), (1, 3), (4, 4), (5, 5)]
