"""How errors fall with the step and grow with time: convergence, work and precision, global error."""
