"""What measures a statement that no check of `checks.py` fits: a function a statement, a file or two a paper."""
