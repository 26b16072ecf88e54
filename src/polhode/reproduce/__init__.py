"""Published tables and figures, measured again: `polhode reproduce NAME`."""
