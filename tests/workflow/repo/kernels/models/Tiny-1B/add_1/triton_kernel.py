"""A kernel as a graph compiler writes it: sizes are literals, `xnumel` is overwritten."""

import triton
import triton.language as tl


@triton.jit
def triton_fused_add_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xnumel = 12
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    dim0 = tl.program_id(0)
    desc_0 = tl.make_tensor_descriptor(in_ptr0, shape=[12, 1, 64], strides=[64, 64, 1], block_shape=[1, 1, 64])
    desc_1 = tl.make_tensor_descriptor(out_ptr0, shape=[12, 1, 64], strides=[64, 64, 1], block_shape=[1, 1, 64])
    desc_1.store([dim0, 0, 0], desc_0.load([dim0, 0, 0]) + 1e-05)
