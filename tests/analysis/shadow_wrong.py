"""Kernels that lose, double or overrun work. The comment above each names the rules that must report it, no others."""

from __future__ import annotations

import re

WRONG = """
# SPY303
@triton.jit
def one_tile_per_program(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc.store([pid * BLOCK], x_desc.load([pid * BLOCK]))

# SPY303
@triton.jit
def one_guarded_tile_per_program(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    if pid < tl.cdiv(n, BLOCK):
        out_desc.store([pid * BLOCK], x_desc.load([pid * BLOCK]))

# SPY303
@triton.jit
def one_tile_of_a_matrix_per_program(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    n_blocks = tl.cdiv(N, BLOCK_N)
    row, col = pid // n_blocks * BLOCK_M, pid % n_blocks * BLOCK_N
    out_desc.store([row, col], x_desc.load([row, col]))

# SPY303
@triton.jit
def second_axis_without_loop(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    per_core = tl.cdiv(m_blocks, tl.num_programs(0))
    for m in range(pid_m * per_core, tl.minimum((pid_m + 1) * per_core, m_blocks)):
        out_desc.store([m * BLOCK_M, pid_n * BLOCK_N], x_desc.load([m * BLOCK_M, pid_n * BLOCK_N]))

# SPY303
@triton.jit
def first_axis_without_loop(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    for n in range(0, tl.cdiv(N, BLOCK_N)):
        out_desc.store([pid_m * BLOCK_M, n * BLOCK_N], x_desc.load([pid_m * BLOCK_M, n * BLOCK_N]))

# SPY303
@triton.jit
def third_axis_without_loop(x_ptr, out_ptr, B, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    b = tl.program_id(2)
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[B, M, N], strides=[M * N, N, 1], block_shape=[1, BLOCK_M, BLOCK_N]
    )
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(tl.program_id(1), tl.cdiv(N, BLOCK_N), tl.num_programs(1)):
            out_desc.store([b, m * BLOCK_M, n * BLOCK_N], tl.zeros([1, BLOCK_M, BLOCK_N], tl.float32))

# SPY303
@triton.jit
def fixed_number_of_tiles_per_program(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for part in range(0, 4):
        tile = pid * 4 + part
        if tile * BLOCK < n:
            out_desc.store([tile * BLOCK], x_desc.load([tile * BLOCK]))

# SPY303
@triton.jit
def reduction_of_one_row_block_per_program(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
    total = tl.zeros([BLOCK_M], tl.float32)
    for n in range(0, tl.cdiv(N, BLOCK_N)):
        total += tl.sum(x_desc.load([pid * BLOCK_M, n * BLOCK_N]), axis=1)
    out_desc.store([pid * BLOCK_M], total)

# SPY303
@triton.jit
def batch_per_program_through_the_base(x_ptr, out_ptr, B, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    b = tl.program_id(0)
    out_desc = tl.make_tensor_descriptor(
        out_ptr + b * M * N, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    for m in range(0, tl.cdiv(M, BLOCK_M)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            if b < B:
                out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY303
@triton.jit
def scatter_of_one_tile_per_program(
    key_ptr, slots_ptr, cache_ptr, stride, n, n_slots, BLOCK: tl.constexpr, D: tl.constexpr
):
    pid = tl.program_id(0)
    slots_desc = tl.make_tensor_descriptor(slots_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    key_desc = tl.make_tensor_descriptor(key_ptr, shape=[n, D], strides=[D, 1], block_shape=[BLOCK, D])
    cache_desc = tl.make_tensor_descriptor(cache_ptr, shape=[n_slots, D], strides=[stride, 1], block_shape=[1, D])
    cache_desc.scatter(key_desc.load([pid * BLOCK, 0]), slots_desc.load([pid * BLOCK]), 0)

# SPY304
@triton.jit
def share_without_id(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    for i in range(0, tl.minimum(tl.cdiv(blocks, tl.num_programs(0)), blocks)):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

# SPY305
@triton.jit
def unclamped_end(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    share = tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0))
    start = tl.program_id(0) * share
    for i in range(start, start + share):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

# SPY305
@triton.jit
def clamped_to_elements_instead_of_tiles(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    share = tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0))
    start = tl.program_id(0) * share
    for i in range(start, tl.minimum(start + share, n)):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

# SPY305
@triton.jit
def ceiling_division_one_too_many(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), (n + BLOCK) // BLOCK, tl.num_programs(0)):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

# SPY305
@triton.jit
def unclamped_flat_index(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    n_blocks = tl.cdiv(N, BLOCK_N)
    share = tl.cdiv(tl.cdiv(M, BLOCK_M) * n_blocks, tl.num_programs(0))
    for i in range(0, share):
        work = tl.program_id(0) * share + i
        row, col = work // n_blocks * BLOCK_M, work % n_blocks * BLOCK_N
        out_desc.store([row, col], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY305
@triton.jit
def unclamped_second_axis(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    m_share = tl.cdiv(m_blocks, tl.num_programs(0))
    n_share = tl.cdiv(tl.cdiv(N, BLOCK_N), tl.num_programs(1))
    m_start = tl.program_id(0) * m_share
    n_start = tl.program_id(1) * n_share
    for m in range(m_start, tl.minimum(m_start + m_share, m_blocks)):
        for n in range(n_start, n_start + n_share):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY305
@triton.jit
def while_loop_past_the_end(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    i = tl.program_id(0)
    while i <= tl.cdiv(n, BLOCK):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
        i += tl.num_programs(0)

# SPY306
@triton.jit
def overlapping_ranges(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = tl.cdiv(blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for i in range(start, tl.minimum(start + share + 1, blocks)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY306
@triton.jit
def share_in_rows_not_in_tiles(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    rows = tl.cdiv(M, tl.num_programs(0))
    start = tl.program_id(0) * rows
    end = tl.minimum(start + rows, M)
    for m in range(0, tl.cdiv(end - start, BLOCK_M)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            out_desc.store([start + m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY306
@triton.jit
def every_program_does_everything(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(0, tl.cdiv(n, BLOCK)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32) + pid)

# SPY306
@triton.jit
def second_axis_reads_but_does_not_share(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    seed = tl.program_id(1)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(pid, tl.cdiv(n, BLOCK), tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32) + seed)

# SPY306
@triton.jit
def start_halved_end_not(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = tl.cdiv(blocks, tl.num_programs(0))
    end = tl.minimum((tl.program_id(0) + 1) * share, blocks)
    for i in range(tl.program_id(0) // 2 * share, end):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY306
@triton.jit
def split_k_without_atomics(a_ptr, out_ptr, stride, M, K, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_K])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        total = tl.zeros([BLOCK_M], tl.float32)
        for k in range(tl.program_id(1), tl.cdiv(K, BLOCK_K), tl.num_programs(1)):
            total += tl.sum(a_desc.load([m * BLOCK_M, k * BLOCK_K]), axis=1)
        out_desc.store([m * BLOCK_M], total)

# SPY307
@triton.jit
def one_core_walks_all(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(0, tl.cdiv(n, BLOCK)):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

# SPY307
@triton.jit
def one_core_walks_a_matrix(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
    for m in range(0, M, BLOCK_M):
        total = tl.zeros([BLOCK_M], tl.float32)
        for n in range(0, N, BLOCK_N):
            total += tl.sum(x_desc.load([m, n]), axis=1)
        out_desc.store([m], total)

# SPY307 SPY502
@triton.jit
def one_core_that_drops_the_tail(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(0, n // BLOCK):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

# SPY308
@triton.jit
def floored_share(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    share = tl.cdiv(n, BLOCK) // tl.num_programs(0)
    for i in range(tl.program_id(0) * share, (tl.program_id(0) + 1) * share):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY308
@triton.jit
def remainder_for_the_last_of_32(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = blocks // tl.num_programs(0)
    end = (pid + 1) * share
    if pid == 31:
        end = blocks
    for i in range(pid * share, end):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY308
@triton.jit
def returns_when_there_are_more_cores_than_tiles(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    cores = tl.num_programs(0)
    if cores > blocks:
        return
    for i in range(tl.program_id(0), blocks, cores):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY308
@triton.jit
def id_split_by_a_constant(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    for m in range(pid // 8, tl.cdiv(M, BLOCK_M), 4):
        for n in range(pid % 8, tl.cdiv(N, BLOCK_N), 8):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY308
@triton.jit
def stride_of_32_on_any_grid(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), 32):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY308
@triton.jit
def stride_one_too_large(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0) + 1):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY308
@triton.jit
def last_tile_of_each_share_left_out(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    cores = tl.num_programs(0)
    share = tl.cdiv(blocks, cores)
    start = tl.program_id(0) * share
    end = tl.minimum(start + share, blocks)
    if cores > 1:
        end = end - 1
    for i in range(start, end):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY308
@triton.jit
def share_of_the_wrong_axis(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    share = tl.cdiv(tl.cdiv(N, BLOCK_N), tl.num_programs(0))
    start = tl.program_id(0) * share
    for m in range(start, tl.minimum(start + share, m_blocks)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY308
@triton.jit
def floored_second_axis(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    share = tl.cdiv(N, BLOCK_N) // tl.num_programs(1)
    start = tl.program_id(1) * share
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(start, start + share):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY308
@triton.jit
def batches_of_the_base_floored(x_ptr, out_ptr, B, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    share = B // tl.num_programs(0)
    for b in range(tl.program_id(0) * share, (tl.program_id(0) + 1) * share):
        out_desc = tl.make_tensor_descriptor(
            out_ptr + b * M * N, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N]
        )
        for m in range(0, tl.cdiv(M, BLOCK_M)):
            for n in range(0, tl.cdiv(N, BLOCK_N)):
                out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY308
@triton.jit
def scatter_with_a_floored_share(
    key_ptr, slots_ptr, cache_ptr, stride, n, n_slots, BLOCK: tl.constexpr, D: tl.constexpr
):
    slots_desc = tl.make_tensor_descriptor(slots_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    key_desc = tl.make_tensor_descriptor(key_ptr, shape=[n, D], strides=[D, 1], block_shape=[BLOCK, D])
    cache_desc = tl.make_tensor_descriptor(cache_ptr, shape=[n_slots, D], strides=[stride, 1], block_shape=[1, D])
    share = tl.cdiv(n, BLOCK) // tl.num_programs(0)
    start = tl.program_id(0) * share
    for i in range(start, start + share):
        cache_desc.scatter(key_desc.load([i * BLOCK, 0]), slots_desc.load([i * BLOCK]), 0)

# SPY502
@triton.jit
def floored_number_of_tiles(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), n // BLOCK, tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY502
@triton.jit
def tail_in_one_dimension_only(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    n_blocks = N // BLOCK_N
    share = tl.cdiv(m_blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for m in range(start, tl.minimum(start + share, m_blocks)):
        for n in range(0, n_blocks):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY502
@triton.jit
def ceiling_division_one_too_few(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), (n + BLOCK - 2) // BLOCK, tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY502
@triton.jit
def clamped_one_tile_too_early(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = tl.cdiv(blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for i in range(start, tl.minimum(start + share, blocks - 1)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY502
@triton.jit
def starts_one_tile_late(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0) + 1, tl.cdiv(n, BLOCK), tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY502
@triton.jit
def every_share_starts_one_tile_late(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = tl.cdiv(blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for i in range(start + 1, tl.minimum(start + share, blocks)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY502
@triton.jit
def id_plus_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = tl.cdiv(blocks, tl.num_programs(0))
    start = (tl.program_id(0) + 1) * share
    for i in range(start, tl.minimum(start + share, blocks)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY502
@triton.jit
def swizzle_that_skips_a_partial_group(
    x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr
):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    n_blocks = tl.cdiv(N, BLOCK_N)
    groups = tl.cdiv(M, BLOCK_M) // GROUP
    total = groups * GROUP * n_blocks
    for work in range(tl.program_id(0), total, tl.num_programs(0)):
        group = work // (GROUP * n_blocks)
        within = work % (GROUP * n_blocks)
        m = group * GROUP + within % GROUP
        n = within // GROUP
        out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY502
@triton.jit
def row_taken_as_one_tile(x_ptr, out_ptr, stride, M, N, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[1, BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[1, BLOCK])
    for m in range(tl.program_id(0), M, tl.num_programs(0)):
        out_desc.store([m, 0], tl.exp(x_desc.load([m, 0])))

# SPY502
@triton.jit
def row_summed_as_one_tile(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        out_desc.store([m * BLOCK_M], tl.sum(x_desc.load([m * BLOCK_M, 0]), axis=1))

# SPY502
@triton.jit
def reduction_drops_the_tail(
    a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
            for k in range(0, K // BLOCK_K):
                acc += tl.dot(a_desc.load([m * BLOCK_M, k * BLOCK_K]), b_desc.load([k * BLOCK_K, n * BLOCK_N]))
            c_desc.store([m * BLOCK_M, n * BLOCK_N], acc)

# SPY502
@triton.jit
def guard_on_whole_tiles(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        if (i + 1) * BLOCK <= n:
            out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

# SPY308 SPY502
@triton.jit
def floored_share_and_floored_columns(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    share = tl.cdiv(M, BLOCK_M) // tl.num_programs(0)
    for m in range(tl.program_id(0) * share, (tl.program_id(0) + 1) * share):
        for n in range(0, N // BLOCK_N):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY303 SPY502
@triton.jit
def row_block_per_program_and_floored_columns(
    x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    pid = tl.program_id(0)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    for n in range(0, N // BLOCK_N):
        out_desc.store([pid * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

# SPY502
@triton.jit
def second_output_loses_its_tail(x_ptr, out_ptr, sums_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    sums_desc = tl.make_tensor_descriptor(sums_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))
        if m < M // BLOCK_M:
            sums_desc.store([m * BLOCK_M], tl.zeros([BLOCK_M], tl.float32))

# SPY303
@triton.jit
def atomic_sum_of_one_tile_per_program(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[BLOCK], strides=[1], block_shape=[BLOCK])
    out_desc.atomic_add([0], x_desc.load([tl.program_id(0) * BLOCK]))

# SPY303
@triton.jit
def partial_sum_of_one_tile_per_program(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cores = tl.num_programs(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[cores, BLOCK], strides=[BLOCK, 1], block_shape=[1, BLOCK])
    out_desc.store([pid, 0], x_desc.load([pid * BLOCK])[None, :])

# SPY308
@triton.jit
def atomic_sum_with_a_floored_share(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[BLOCK], strides=[1], block_shape=[BLOCK])
    share = tl.cdiv(n, BLOCK) // tl.num_programs(0)
    for i in range(tl.program_id(0) * share, (tl.program_id(0) + 1) * share):
        out_desc.atomic_add([0], x_desc.load([i * BLOCK]))

# SPY303
@triton.jit
def helper_that_reads_the_id(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    tile = my_tile()
    out_desc.store([tile * BLOCK], tl.zeros([BLOCK], tl.float32))
"""

HELPERS = """
@triton.jit
def my_tile():
    return tl.program_id(0)

@triton.jit
def my_range(total):
    share = tl.cdiv(total, tl.num_programs(0))
    start = tl.program_id(0) * share
    return start, tl.minimum(start + share, total)

@triton.jit
def unflatten(work, n_blocks):
    return work // n_blocks, work % n_blocks
"""

EXPECTED = {name: tuple(codes.split()) for codes, name in re.findall(r"# ([SPY0-9 ]+)\n@triton.jit\ndef (\w+)", WRONG)}
"""The rules that must report each kernel."""
