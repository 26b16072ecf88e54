"""Where an integrator is looked at: the problems, the states of the battery, and those of the survey."""
