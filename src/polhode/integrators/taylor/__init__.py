"""Taylor's method: a torque traced to a formula, the formula ordered into recurrences, and the steps."""
