"""Measuring what a method does: drift, order, symmetry, symplecticity, invariants."""
