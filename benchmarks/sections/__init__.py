"""What is measured. A section has TITLE, measure(quick) -> data for the JSON, and tables(data) -> tables."""
