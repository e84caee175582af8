"""What comes in: tables of other libraries, files, and numbers as text."""
