"""The kernel IR: typed values with symbolic shapes, operations with regions, and the source range of each."""
