"""T1, Spyre-shape compliance: the status of every kernel and invariant, with the evidence it rests on.

T1 is the second of the four validation tiers of a Spyre kernel (T0 numerical equivalence, T1 shape compliance, T2
validation of the lowered program, T3 human review); it is the one that can be told from the source. Source: the README
of torch-spyre/spyre-kernels, read 2026-08-07.
"""
