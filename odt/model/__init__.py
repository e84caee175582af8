"""What is asked: the problem. It says what, never how."""
