"""Trees as policies on boxes of feature bounds: the process, its solutions, its learners."""
