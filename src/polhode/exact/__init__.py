"""Answers one can trust: the free body in closed form, and a reference for everything else."""
