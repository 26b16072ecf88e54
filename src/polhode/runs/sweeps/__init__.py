"""Sweeps: one problem over axes of starts, inertias, parameters, methods and steps, on one core or on a cluster."""
