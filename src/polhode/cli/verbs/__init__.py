"""One module per verb; ``cli/main.py`` has the list."""
