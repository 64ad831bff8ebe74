"""From source text to kernel IR and bindings: names, constants, launches, drivers, and the lowering of kernels."""
