"""From source text to kernel IR and bindings: names, constants, launches and drivers, and the lowering of jit functions."""
