"""What came in, exactly: rows, labels, weights, files."""
