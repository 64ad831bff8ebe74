"""The rules of live tile bytes, each on a few lines of TTIR; a 4x8 tile of f32 weighs 128 bytes, called T."""

from __future__ import annotations

import pytest

from spyre_lint.verify.liveness import Peak, peak_of
from spyre_lint.verify.ttir import TtirError, parse_ttir

T = 4 * 8 * 4
LOAD = "tt.descriptor_load %d[%i, %i] : !tt.tensordesc<4x8xf32> -> tensor<4x8xf32>"
STORE = ": !tt.tensordesc<4x8xf32>, tensor<4x8xf32>"


def peak(body: str, more: str = "") -> Peak:
    """Peak of a kernel with descriptor `%d`, integers `%i` and `%n`, condition `%c`, scalar `%s` and this body."""
    body = body.replace("LOAD", LOAD).replace("STORE", STORE).replace("T>", "tensor<4x8xf32>")
    parameters = "%d: !tt.tensordesc<4x8xf32>, %i: i32, %n: i32, %c: i1, %s: f32"
    head = f"tt.func public @k({parameters}) attributes {{noinline = false}} {{"
    return peak_of(parse_ttir(f"module {{\n{head}\n{body}\ntt.return\n}}\n{more}\n}}\n"))


def test_an_operand_that_dies_does_not_count_with_the_result() -> None:
    found = peak("%x = LOAD\n%y = math.exp %x : T>\ntt.descriptor_store %d[%i, %i], %y STORE")
    assert found.bytes == T


def test_an_operand_used_later_counts_with_the_result() -> None:
    found = peak(
        "%x = LOAD\n%y = math.exp %x : T>\n%z = arith.addf %x, %y : T>\ntt.descriptor_store %d[%i, %i], %z STORE"
    )
    assert found.bytes == 2 * T
    assert found.operation == "math.exp"
    assert [tile.label for tile in found.live] == ["x", "y"]


def test_an_unused_result_counts_right_after_its_operation() -> None:
    found = peak("%x = LOAD\n%y = LOAD\ntt.descriptor_store %d[%i, %i], %x STORE")
    assert found.bytes == 2 * T


def test_views_weigh_nothing_and_keep_their_operand() -> None:
    found = peak(
        """%x = LOAD
        %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
        ^bb0(%a: f32, %b: f32):
          %m = arith.addf %a, %b : f32
          tt.reduce.return %m : f32
        }) : (tensor<4x8xf32>) -> tensor<4xf32>
        %e = tt.expand_dims %r {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
        %w = tt.broadcast %e : tensor<4x1xf32> -> tensor<4x8xf32>
        %y = LOAD
        %z = arith.mulf %y, %w : T>
        tt.descriptor_store %d[%i, %i], %z STORE"""
    )
    # x dies at the reduction; the view %w keeps r (4 x 4 bytes) alive beside y.
    assert found.bytes == T + 16
    assert found.operation == "tt.descriptor_load"
    assert [tile.label for tile in found.live] == ["y", "r"]


def test_make_range_and_views_of_it_weigh_nothing_arithmetic_on_them_does() -> None:
    found = peak(
        """%r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
        %e = tt.expand_dims %r {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
        %t = tt.splat %i : i32 -> tensor<1x8xi32>
        %m = arith.cmpi slt, %e, %t : tensor<1x8xi32>
        %a = arith.addi %e, %t : tensor<1x8xi32>
        %b = arith.select %m, %a, %e : tensor<1x8xi1>, tensor<1x8xi32>"""
    )
    assert found.bytes == 8 + 32  # the mask and the sum
    assert found.operation == "arith.addi"


def test_a_constant_weighs_right_before_the_store_that_needs_it() -> None:
    constant = "%k = arith.constant dense<0.0> : T>\n"
    assert (
        peak(constant + "%x = LOAD\n%y = arith.addf %x, %k : T>\ntt.descriptor_store %d[%i, %i], %y STORE").bytes == T
    )
    found = peak(
        constant + "%x = LOAD\ntt.descriptor_store %d[%i, %i], %k STORE\ntt.descriptor_store %d[%i, %i], %x STORE"
    )
    assert found.bytes == 2 * T
    assert found.operation == "tt.descriptor_store"


def test_a_constant_accumulator_weighs_right_before_the_dot() -> None:
    found = peak(
        """%k = arith.constant dense<0.0> : tensor<16x16xf32>
        %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<16x16xf16> -> tensor<16x16xf16>
        %y = tt.descriptor_load %d[%i, %n] : !tt.tensordesc<16x16xf16> -> tensor<16x16xf16>
        %z = tt.dot %x, %y, %k, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
        tt.descriptor_store %d[%i, %i], %z : !tt.tensordesc<16x16xf32>, tensor<16x16xf32>"""
    )
    assert found.bytes == 512 + 512 + 1024
    assert found.operation == "tt.dot"


def test_a_scalar_splat_is_no_storage_until_a_loop_carries_it() -> None:
    body = """%k = tt.splat %s : f32 -> T>
        %r = scf.for %j = %i to %n step %i iter_args(%a = %k) -> (T>)  : i32 {
          %x = LOAD
          %b = arith.addf %a, %x : T>
          scf.yield %b : T>
        }
        tt.descriptor_store %d[%i, %i], %r STORE"""
    found = peak(body)
    assert found.bytes == 2 * T  # carried value and x; never three
    assert found.operation == "tt.descriptor_load"


def test_the_yielded_value_counts_with_the_carried_one_only_if_both_are_needed() -> None:
    loop = """%x = LOAD
        %r = scf.for %j = %i to %n step %i iter_args(%a = %x) -> (T>)  : i32 {{
          %b = math.exp %a : T>
          {use}
          scf.yield %b : T>
        }}
        tt.descriptor_store %d[%i, %i], %r STORE"""
    assert peak(loop.format(use="tt.descriptor_store %d[%i, %j], %b STORE")).bytes == T
    assert peak(loop.format(use="tt.descriptor_store %d[%i, %j], %a STORE")).bytes == 2 * T


def test_the_initial_value_counts_beside_the_carried_one_if_the_body_uses_it() -> None:
    loop = """%x = LOAD
        %r = scf.for %j = %i to %n step %i iter_args(%a = %x) -> (T>)  : i32 {{
          %b = arith.addf %a, {other} : T>
          scf.yield %b : T>
        }}
        tt.descriptor_store %d[%i, %i], %r STORE"""
    assert peak(loop.format(other="%a")).bytes == T
    # x is live at every point of the body, besides a (before the addition) or b (after it).
    assert peak(loop.format(other="%x")).bytes == 2 * T


def test_an_outer_value_is_live_throughout_the_loop_that_uses_it() -> None:
    found = peak(
        """%x = LOAD
        scf.for %j = %i to %n step %i  : i32 {
          %b = arith.addf %x, %x : T>
          tt.descriptor_store %d[%i, %j], %b STORE
          %y = LOAD
          %z = LOAD
          %w = arith.addf %y, %z : T>
          tt.descriptor_store %d[%i, %j], %w STORE
        }"""
    )
    assert found.bytes == 3 * T  # x, y and z, although x has no later use in this iteration


def test_results_of_a_loop_that_nobody_uses_count_once() -> None:
    found = peak(
        """%x = LOAD
        %r:2 = scf.for %j = %i to %n step %i iter_args(%a = %x, %b = %x) -> (T>, T>)  : i32 {
          %e = math.exp %b : T>
          scf.yield %b, %e : T>, T>
        }
        tt.descriptor_store %d[%i, %i], %r#0 STORE"""
    )
    assert found.bytes == 2 * T


def test_the_sides_of_an_if_do_not_add_up() -> None:
    found = peak(
        """%x = LOAD
        %y = LOAD
        %r = scf.if %c -> (T>) {
          %a = math.exp %x : T>
          scf.yield %a : T>
        } else {
          %b = math.exp %y : T>
          %e = arith.addf %b, %y : T>
          scf.yield %e : T>
        }
        tt.descriptor_store %d[%i, %i], %r STORE"""
    )
    # Before the if x and y; in the first branch x alone, in the second y and b.
    assert found.bytes == 2 * T


def test_a_value_that_only_one_side_uses_is_not_live_on_the_other() -> None:
    body = """%x = LOAD
        scf.if %c {{
          %p = LOAD
          %q = LOAD
          %e = arith.addf %p, %q : T>
          tt.descriptor_store %d[%i, %i], %e STORE
        }} else {{
          tt.descriptor_store %d[%i, %i], %x STORE
        }}
        {after}"""
    assert peak(body.format(after="")).bytes == 2 * T
    assert peak(body.format(after="tt.descriptor_store %d[%i, %i], %x STORE")).bytes == 3 * T


def test_an_if_hands_a_loop_carried_value_over() -> None:
    found = peak(
        """%x = LOAD
        %r = scf.for %j = %i to %n step %i iter_args(%a = %x) -> (T>)  : i32 {
          %u = scf.if %c -> (T>) {
            %e = math.exp %a : T>
            scf.yield %e : T>
          } else {
            scf.yield %a : T>
          }
          scf.yield %u : T>
        }
        tt.descriptor_store %d[%i, %i], %r STORE"""
    )
    assert found.bytes == T


def test_while_hands_over_through_both_regions() -> None:
    found = peak(
        """%x = LOAD
        %r:2 = scf.while (%a = %x, %j = %i) : (T>, i32) -> (T>, i32) {
          %t = arith.cmpi slt, %j, %n : i32
          scf.condition(%t) %a, %j : T>, i32
        } do {
        ^bb0(%a: T>, %j: i32):
          %y = LOAD
          %b = arith.addf %a, %y : T>
          %l = arith.addi %j, %i : i32
          scf.yield %b, %l : T>, i32
        }
        tt.descriptor_store %d[%i, %i], %r#0 STORE"""
    )
    assert found.bytes == 2 * T
    assert [tile.label for tile in found.live] == ["a", "y"]


def test_after_an_early_return_only_the_other_block_needs_its_values() -> None:
    found = peak(
        """%x = LOAD
        cf.cond_br %c, ^bb1, ^bb2
      ^bb1:  // pred: ^bb0
        %p = LOAD
        tt.descriptor_store %d[%i, %i], %p STORE
        tt.return
      ^bb2:  // pred: ^bb0
        tt.descriptor_store %d[%i, %i], %x STORE"""
    )
    assert found.bytes == T


def test_a_block_argument_takes_over_at_a_branch() -> None:
    found = peak(
        """%x = LOAD
        %y = LOAD
        cf.cond_br %c, ^bb1(%x : T>), ^bb1(%y : T>)
      ^bb1(%a: T>):  // 2 preds: ^bb0, ^bb0
        tt.descriptor_store %d[%i, %i], %a STORE"""
    )
    assert found.bytes == 2 * T


def test_a_call_puts_the_helpers_peak_on_what_lives_across() -> None:
    helper = f"""tt.func private @h(%d: !tt.tensordesc<4x8xf32>, %i: i32) -> tensor<4x8xf32> {{
          %p = {LOAD}
          %q = math.exp %p : tensor<4x8xf32>
          %r = arith.addf %p, %q : tensor<4x8xf32>
          tt.return %r : tensor<4x8xf32>
        }}"""
    found = peak(
        """%x = LOAD
        %y = tt.call @h(%d, %i) : (!tt.tensordesc<4x8xf32>, i32) -> T>
        %z = arith.addf %x, %y : T>
        tt.descriptor_store %d[%i, %i], %z STORE""",
        helper,
    )
    assert found.bytes == T + 2 * T
    assert found.operation == "tt.call"


def test_recursion_and_unknown_operations_are_errors_not_guesses() -> None:
    helper = """tt.func private @h(%i: i32) attributes {noinline = true} {
          tt.call @h(%i) : (i32) -> ()
          tt.return
        }"""
    with pytest.raises(TtirError, match="calls itself"):
        peak("tt.call @h(%i) : (i32) -> ()", helper)
    with pytest.raises(TtirError, match="not defined"):
        peak("tt.call @gone(%i) : (i32) -> ()")
    with pytest.raises(TtirError, match="used before it is defined"):
        peak("%y = math.exp %x : T>")
    with pytest.raises(TtirError, match=r"scf\.parallel is not known"):
        peak("scf.parallel (%j) = (%i) to (%n) step (%i) {\n}")
    with pytest.raises(TtirError, match="meaning is not known"):
        peak('"odd.op"(%i) ({\n%x = LOAD\n}) : (i32) -> ()')
    with pytest.raises(TtirError, match="no function"):
        parse_ttir("module {\n}\n")
