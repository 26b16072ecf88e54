"""Figures, drawn by Matplotlib, which is imported when the first is drawn."""
