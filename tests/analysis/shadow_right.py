"""Kernels that do all of their work once, however many programs they run on. None of them may be reported."""

from __future__ import annotations

RIGHT = """
@triton.jit
def contiguous(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = tl.cdiv(blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for i in range(start, tl.minimum(start + share, blocks)):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

@triton.jit
def strided(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))

@triton.jit
def strided_in_elements(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        out_desc.store([start], tl.zeros([BLOCK], tl.float32))

@triton.jit
def balanced_remainder(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cores = tl.num_programs(0)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = blocks // cores
    extra = blocks % cores
    start = pid * share + tl.minimum(pid, extra)
    end = start + share
    if pid < extra:
        end = end + 1
    for i in range(start, end):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def remainder_for_the_last_core(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cores = tl.num_programs(0)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = blocks // cores
    end = (pid + 1) * share
    if pid == cores - 1:
        end = blocks
    for i in range(pid * share, end):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def guarded_instead_of_clamped(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    share = tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0))
    for j in range(0, share):
        i = tl.program_id(0) * share + j
        if i * BLOCK < n:
            out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def early_return_of_idle_programs(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    blocks = tl.cdiv(n, BLOCK)
    if pid >= blocks:
        return
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(pid, blocks, tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def two_early_returns(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if n <= 0:
        return
    share = tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0))
    if pid * share * BLOCK >= n:
        return
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(pid * share, tl.minimum(pid * share + share, tl.cdiv(n, BLOCK))):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def while_loop(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    i = tl.program_id(0)
    while i < tl.cdiv(n, BLOCK):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
        i += tl.num_programs(0)

@triton.jit
def carried_offset(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    share = tl.cdiv(blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    end = tl.minimum(start + share, blocks)
    offset = start * BLOCK
    for i in range(start, end):
        out_desc.store([offset], tl.zeros([BLOCK], tl.float32))
        offset += BLOCK

@triton.jit
def backwards(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    blocks = tl.cdiv(n, BLOCK)
    for i in range(tl.program_id(0), blocks, tl.num_programs(0)):
        tile = blocks - 1 - i
        out_desc.store([tile * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def hand_written_ceiling(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), (n + BLOCK - 1) // BLOCK, tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def rows_of_one(x_ptr, out_ptr, stride, M, N, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[1, BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[1, BLOCK])
    share = tl.cdiv(M, tl.num_programs(0))
    start = tl.program_id(0) * share
    for m in range(start, tl.minimum(start + share, M)):
        for n in range(0, N, BLOCK):
            out_desc.store([m, n], x_desc.load([m, n]))

@triton.jit
def matrix_by_rows(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    share = tl.cdiv(m_blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for m in range(start, tl.minimum(start + share, m_blocks)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], x_desc.load([m * BLOCK_M, n * BLOCK_N]))

@triton.jit
def flattened(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    n_blocks = tl.cdiv(N, BLOCK_N)
    total = tl.cdiv(M, BLOCK_M) * n_blocks
    share = tl.cdiv(total, tl.num_programs(0))
    start = tl.program_id(0) * share
    for work in range(start, tl.minimum(start + share, total)):
        row, col = work // n_blocks * BLOCK_M, work % n_blocks * BLOCK_N
        out_desc.store([row, col], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def flattened_through_helpers(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    n_blocks = tl.cdiv(N, BLOCK_N)
    start, end = my_range(tl.cdiv(M, BLOCK_M) * n_blocks)
    for work in range(start, end):
        m, n = unflatten(work, n_blocks)
        out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def columns_first(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    for work in range(tl.program_id(0), m_blocks * tl.cdiv(N, BLOCK_N), tl.num_programs(0)):
        out_desc.store(
            [work % m_blocks * BLOCK_M, work // m_blocks * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
        )

@triton.jit
def grouped_order(
    x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr
):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    n_blocks = tl.cdiv(N, BLOCK_N)
    total = m_blocks * n_blocks
    share = tl.cdiv(total, tl.num_programs(0))
    start = tl.program_id(0) * share
    for work in range(start, tl.minimum(start + share, total)):
        in_group = GROUP * n_blocks
        first = work // in_group * GROUP
        size = tl.minimum(m_blocks - first, GROUP)
        m = first + work % in_group % size
        n = work % in_group // size
        out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def two_axes(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks, n_blocks = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    m_share, n_share = tl.cdiv(m_blocks, tl.num_programs(0)), tl.cdiv(n_blocks, tl.num_programs(1))
    m_start, n_start = tl.program_id(0) * m_share, tl.program_id(1) * n_share
    for m in range(m_start, tl.minimum(m_start + m_share, m_blocks)):
        for n in range(n_start, tl.minimum(n_start + n_share, n_blocks)):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def two_axes_strided(x_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(tl.program_id(1), tl.cdiv(N, BLOCK_N), tl.num_programs(1)):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def two_axes_as_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    rank = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    for i in range(rank, tl.cdiv(n, BLOCK), tl.num_programs(0) * tl.num_programs(1)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def three_axes(x_ptr, out_ptr, B, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[B, M, N], strides=[M * N, N, 1], block_shape=[1, BLOCK_M, BLOCK_N]
    )
    for b in range(tl.program_id(2), B, tl.num_programs(2)):
        for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
            for n in range(tl.program_id(1), tl.cdiv(N, BLOCK_N), tl.num_programs(1)):
                out_desc.store([b, m * BLOCK_M, n * BLOCK_N], tl.zeros([1, BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
            for k in range(0, tl.cdiv(K, BLOCK_K)):
                acc += tl.dot(a_desc.load([m * BLOCK_M, k * BLOCK_K]), b_desc.load([k * BLOCK_K, n * BLOCK_N]))
            c_desc.store([m * BLOCK_M, n * BLOCK_N], acc)

@triton.jit
def batched_matmul_through_the_base(
    a_ptr, b_ptr, c_ptr, B, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    m_blocks = tl.cdiv(M, BLOCK_M)
    total = B * m_blocks
    share = tl.cdiv(total, tl.num_programs(0))
    start = tl.program_id(0) * share
    for work in range(start, tl.minimum(start + share, total)):
        b, m = work // m_blocks, work % m_blocks
        a_desc = tl.make_tensor_descriptor(
            a_ptr + b * M * K, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K]
        )
        c_desc = tl.make_tensor_descriptor(
            c_ptr + b * M * N, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N]
        )
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
            for k in range(0, tl.cdiv(K, BLOCK_K)):
                acc += tl.sum(a_desc.load([m * BLOCK_M, k * BLOCK_K]), axis=1)[:, None]
            c_desc.store([m * BLOCK_M, n * BLOCK_N], acc)

@triton.jit
def batch_with_a_stride_parameter(
    x_ptr, out_ptr, stride_batch, stride_row, B, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    for b in range(tl.program_id(0), B, tl.num_programs(0)):
        out_desc = tl.make_tensor_descriptor(
            out_ptr + b * stride_batch, shape=[M, N], strides=[stride_row, 1], block_shape=[BLOCK_M, BLOCK_N]
        )
        for m in range(0, tl.cdiv(M, BLOCK_M)):
            for n in range(0, tl.cdiv(N, BLOCK_N)):
                out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def causal_attention(
    q_ptr, k_ptr, out_ptr, stride, n, heads, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    q_desc = tl.make_tensor_descriptor(
        q_ptr, shape=[n, heads * HEAD_DIM], strides=[stride, 1], block_shape=[BLOCK_M, HEAD_DIM]
    )
    k_desc = tl.make_tensor_descriptor(
        k_ptr, shape=[n, heads * HEAD_DIM], strides=[stride, 1], block_shape=[BLOCK_N, HEAD_DIM]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n, heads * HEAD_DIM], strides=[stride, 1], block_shape=[BLOCK_M, HEAD_DIM]
    )
    q_blocks = tl.cdiv(n, BLOCK_M)
    total = q_blocks * heads
    share = tl.cdiv(total, tl.num_programs(0))
    start = tl.program_id(0) * share
    for work in range(start, tl.minimum(start + share, total)):
        head, block = work // q_blocks, work % q_blocks
        acc = q_desc.load([block * BLOCK_M, head * HEAD_DIM])
        for kv in range(0, tl.cdiv(tl.minimum((block + 1) * BLOCK_M, n), BLOCK_N)):
            acc += tl.sum(k_desc.load([kv * BLOCK_N, head * HEAD_DIM]), axis=0)
        out_desc.store([block * BLOCK_M, head * HEAD_DIM], acc)

@triton.jit
def batching_of_items(x_ptr, out_ptr, n_items, HEAD_DIM: tl.constexpr, BLOCK_ITEMS: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_items, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[BLOCK_ITEMS, HEAD_DIM]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_items, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[BLOCK_ITEMS, HEAD_DIM]
    )
    batches = tl.cdiv(n_items, BLOCK_ITEMS)
    share = tl.cdiv(batches, tl.num_programs(0))
    start = tl.program_id(0) * share
    for batch in range(start, tl.minimum(start + share, batches)):
        out_desc.store([batch * BLOCK_ITEMS, 0], x_desc.load([batch * BLOCK_ITEMS, 0]))

@triton.jit
def outputs_of_different_shapes(x_ptr, out_ptr, sums_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[N, M], strides=[M, 1], block_shape=[BLOCK_N, BLOCK_M])
    sums_desc = tl.make_tensor_descriptor(sums_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        total = tl.zeros([BLOCK_M], tl.float32)
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            x = x_desc.load([m * BLOCK_M, n * BLOCK_N])
            total += tl.sum(x, axis=1)
            out_desc.store([n * BLOCK_N, m * BLOCK_M], tl.trans(x))
        sums_desc.store([m * BLOCK_M], total)

@triton.jit
def in_place(x_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            x_desc.store([m * BLOCK_M, n * BLOCK_N], x_desc.load([m * BLOCK_M, n * BLOCK_N]) * 2.0)

@triton.jit
def gather_rows(ids_ptr, table_ptr, out_ptr, n, vocab, D, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr):
    ids_desc = tl.make_tensor_descriptor(ids_ptr, shape=[n], strides=[1], block_shape=[BLOCK_T])
    table_desc = tl.make_tensor_descriptor(table_ptr, shape=[vocab, D], strides=[D, 1], block_shape=[1, BLOCK_D])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n, D], strides=[D, 1], block_shape=[BLOCK_T, BLOCK_D])
    for t in range(tl.program_id(0), tl.cdiv(n, BLOCK_T), tl.num_programs(0)):
        ids = ids_desc.load([t * BLOCK_T])
        for d in range(0, tl.cdiv(D, BLOCK_D)):
            out_desc.store([t * BLOCK_T, d * BLOCK_D], table_desc.gather(ids, d * BLOCK_D))

@triton.jit
def scatter_rows(key_ptr, slots_ptr, cache_ptr, n, n_slots, D, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr):
    slots_desc = tl.make_tensor_descriptor(slots_ptr, shape=[n], strides=[1], block_shape=[BLOCK_T])
    key_desc = tl.make_tensor_descriptor(key_ptr, shape=[n, D], strides=[D, 1], block_shape=[BLOCK_T, BLOCK_D])
    cache_desc = tl.make_tensor_descriptor(cache_ptr, shape=[n_slots, D], strides=[D, 1], block_shape=[1, BLOCK_D])
    blocks = tl.cdiv(n, BLOCK_T)
    share = tl.cdiv(blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for t in range(start, tl.minimum(start + share, blocks)):
        slots = slots_desc.load([t * BLOCK_T])
        for d in range(0, tl.cdiv(D, BLOCK_D)):
            cache_desc.scatter(key_desc.load([t * BLOCK_T, d * BLOCK_D]), slots, d * BLOCK_D)

@triton.jit
def first_half_by_design(x_ptr, out_ptr, n, D, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n, 2 * D], strides=[2 * D, 1], block_shape=[BLOCK_T, 1])
    for t in range(tl.program_id(0), tl.cdiv(n, BLOCK_T), tl.num_programs(0)):
        for d in range(0, D):
            out_desc.store([t * BLOCK_T, d], tl.zeros([BLOCK_T, 1], tl.float32))

@triton.jit
def one_page_by_design(x_ptr, cache_ptr, page, pages, n, PAGE: tl.constexpr, BLOCK: tl.constexpr):
    cache_desc = tl.make_tensor_descriptor(
        cache_ptr, shape=[pages, n], strides=[n, 1], block_shape=[1, BLOCK]
    )
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        cache_desc.store([page, i * BLOCK], tl.zeros([1, BLOCK], tl.float32))

@triton.jit
def two_halves_of_one_output(x_ptr, out_ptr, n, d, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n, 2, d], strides=[2 * d, d, 1], block_shape=[BLOCK_T, 1, BLOCK_D]
    )
    for t in range(tl.program_id(0), tl.cdiv(n, BLOCK_T), tl.num_programs(0)):
        for i in range(0, tl.cdiv(d, BLOCK_D)):
            out_desc.store([t * BLOCK_T, 0, i * BLOCK_D], tl.zeros([BLOCK_T, 1, BLOCK_D], tl.float32))
            out_desc.store([t * BLOCK_T, 1, i * BLOCK_D], tl.zeros([BLOCK_T, 1, BLOCK_D], tl.float32))

@triton.jit
def two_views_of_one_output(x_ptr, out_ptr, n, d, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr):
    low_desc = tl.make_tensor_descriptor(out_ptr, shape=[n, d], strides=[2 * d, 1], block_shape=[BLOCK_T, BLOCK_D])
    high_desc = tl.make_tensor_descriptor(out_ptr + d, shape=[n, d], strides=[2 * d, 1], block_shape=[BLOCK_T, BLOCK_D])
    for t in range(tl.program_id(0), tl.cdiv(n, BLOCK_T), tl.num_programs(0)):
        for i in range(0, tl.cdiv(d, BLOCK_D)):
            low_desc.store([t * BLOCK_T, i * BLOCK_D], tl.zeros([BLOCK_T, BLOCK_D], tl.float32))
            high_desc.store([t * BLOCK_T, i * BLOCK_D], tl.zeros([BLOCK_T, BLOCK_D], tl.float32))

@triton.jit
def atomic_split_k(a_ptr, out_ptr, stride, M, K, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_K])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for k in range(tl.program_id(1), tl.cdiv(K, BLOCK_K), tl.num_programs(1)):
            out_desc.atomic_add([m * BLOCK_M], tl.sum(a_desc.load([m * BLOCK_M, k * BLOCK_K]), axis=1))

@triton.jit
def partial_result_per_program(x_ptr, partial_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cores = tl.num_programs(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    partial_desc = tl.make_tensor_descriptor(
        partial_ptr, shape=[cores, BLOCK], strides=[BLOCK, 1], block_shape=[1, BLOCK]
    )
    total = tl.zeros([1, BLOCK], tl.float32)
    for i in range(pid, tl.cdiv(n, BLOCK), cores):
        total += x_desc.load([i * BLOCK])
    partial_desc.store([pid, 0], total)

@triton.jit
def tile_count_from_the_host(x_ptr, out_ptr, n, n_tiles, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    share = tl.cdiv(n_tiles, tl.num_programs(0))
    start = tl.program_id(0) * share
    for i in range(start, tl.minimum(start + share, n_tiles)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def flat_extent_from_the_host(x_ptr, out_ptr, n_elements, M, N):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_elements], strides=[1], block_shape=[1])
    for m in range(tl.program_id(0), M, tl.num_programs(0)):
        for n in range(0, N):
            out_desc.store([m * N + n], tl.zeros([1], tl.float32))

@triton.jit
def number_of_cores_from_the_host(x_ptr, out_ptr, n, NUM_CORES: tl.constexpr, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), NUM_CORES):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def first_tile_by_the_first_program(x_ptr, out_ptr, flag_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    flag_desc = tl.make_tensor_descriptor(flag_ptr, shape=[BLOCK], strides=[1], block_shape=[BLOCK])
    for i in range(pid, tl.cdiv(n, BLOCK), tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
    if pid == 0:
        flag_desc.store([0], tl.zeros([BLOCK], tl.float32))

@triton.jit
def literal_width(x_ptr, out_ptr, n, BLOCK_T: tl.constexpr, BLOCK_H: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n, 4096], strides=[4096, 1], block_shape=[BLOCK_T, BLOCK_H])
    for t in range(tl.program_id(0), tl.cdiv(n, BLOCK_T), tl.num_programs(0)):
        for h in range(0, 4096, BLOCK_H):
            out_desc.store([t * BLOCK_T, h], tl.zeros([BLOCK_T, BLOCK_H], tl.float32))

@triton.jit
def constexpr_sizes(
    x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    share = tl.cdiv(m_blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for m in range(start, tl.minimum(start + share, m_blocks)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            out_desc.store([m * BLOCK_M, n * BLOCK_N], tl.zeros([BLOCK_M, BLOCK_N], tl.float32))

@triton.jit
def halo_load_past_the_end(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        out_desc.store([i * BLOCK], x_desc.load([i * BLOCK]) + x_desc.load([(i + 1) * BLOCK]))

@triton.jit
def one_program_one_tile(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[BLOCK], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[BLOCK], strides=[1], block_shape=[BLOCK])
    out_desc.store([0], x_desc.load([0]))

@triton.jit
def sequential_scan(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    carry = tl.zeros([BLOCK], tl.float32)
    for i in range(0, tl.cdiv(n, BLOCK)):
        carry = carry + x_desc.load([i * BLOCK])
        out_desc.store([i * BLOCK], carry)

@triton.jit
def flag_that_stores_more(x_ptr, out_ptr, lse_ptr, n, STORE_LSE: tl.constexpr, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
        if STORE_LSE:
            lse_desc = tl.make_tensor_descriptor(lse_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
            lse_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))

@triton.jit
def sizes_of_two_tilings(x_ptr, out_ptr, n, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK_A])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK_B])
    total = tl.zeros([BLOCK_A], tl.float32)
    for a in range(0, tl.cdiv(n, BLOCK_A)):
        total += a_desc.load([a * BLOCK_A])
    for b in range(tl.program_id(0), tl.cdiv(n, BLOCK_B), tl.num_programs(0)):
        out_desc.store([b * BLOCK_B], tl.zeros([BLOCK_B], tl.float32) + tl.sum(total, axis=0))

@triton.jit
def corner_of_known_extents(x_ptr, out_ptr, n, HEADS: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_H: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n, HEADS], strides=[HEADS, 1], block_shape=[BLOCK_T, BLOCK_H])
    for t in range(tl.program_id(0), tl.cdiv(n, BLOCK_T), tl.num_programs(0)):
        out_desc.store([t * BLOCK_T, 0], tl.zeros([BLOCK_T, BLOCK_H], tl.float32))
"""
