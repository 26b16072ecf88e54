"""Runs whose steps have lengths of their own: reversible (`adapt`), or by rtol and atol."""
