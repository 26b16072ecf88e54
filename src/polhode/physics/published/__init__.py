"""The problems of the papers, one file each; ``physics/catalogue.py`` is the list."""
