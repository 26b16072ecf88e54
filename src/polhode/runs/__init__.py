"""From a problem and a method to a trajectory: steps, files, checkpoints."""
