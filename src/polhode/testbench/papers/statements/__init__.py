"""What the papers say, sentence by sentence, each with its measurement: one file for each paper."""
