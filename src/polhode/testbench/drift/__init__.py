"""Drift of the energy: ensembles of long runs, and what their evidence says."""
