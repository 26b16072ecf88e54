"""Published tables and figures as data, measured again."""
