"""Analyses of kernel IR. Each is a function of a `KernelInstance`, computed when first asked for and kept."""
