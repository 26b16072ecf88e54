"""What the papers say, sentence by sentence, each with its measurement: a file or two for each paper."""
