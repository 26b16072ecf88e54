"""Kernels to machine code: the only package that knows Numba.

The rest of the package uses five of its modules; an import contract keeps the others to themselves.

    compile           machine code of torques, potentials and loops, through a cache on disk; CannotCompile
    ensemble_loop     the loop over blocks of bodies in lanes
    quadrature_lanes  the torque of a method whose stages are the lanes
    guard             does machine code say what the function says that it was made from?
    cache             the folder of what is kept between processes
"""
