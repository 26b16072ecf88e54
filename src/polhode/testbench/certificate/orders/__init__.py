"""Orders: how errors fall with the step, in runs and in single steps, and what stays of them."""
