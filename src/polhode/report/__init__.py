"""Results for readers: tables for the terminal, self-contained pages."""
