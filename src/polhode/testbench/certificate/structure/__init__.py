"""Symmetry, symplecticity and what is conserved: a defect at every state, and the verdict that follows."""
