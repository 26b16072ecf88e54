"""Measurements behind statements of the papers that no figure shows."""
