"""What is looked at between two steps: states at any time, and events."""
