"""Plain functions on tuples of numbers: one source for floats, machine code, lanes, complex numbers and mpmath.

This is the namespace for people who write kernels: ``scalar`` (numbers and what decides by their value), ``vectors``,
``rotations``, ``implicit`` (equations solved in a step), ``step`` (what a step is given and returns).
"""
