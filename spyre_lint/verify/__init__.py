"""The referee: what Triton's own frontend makes of a kernel, measured by the rules that the static analyses follow.

Nothing here shares code with the frontend or the analyses, so that agreement means something. `compile` has Triton
turn kernels into TTIR (in a worker process, without a GPU), `ttir` parses the text, `liveness` computes the peak of
live tile bytes. Only the worker imports Triton, and only it runs code of the linted project.
"""
