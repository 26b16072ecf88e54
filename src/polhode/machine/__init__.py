"""Kernels to machine code: the only package that knows Numba."""
