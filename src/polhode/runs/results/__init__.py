"""What a run gives back: the Trajectory, its rows and columns, and what follows from the states."""
