"""The lab: two integrators side by side in a browser, from the kernels of this library."""
