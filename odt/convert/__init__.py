"""Trees in other forms: text, dictionaries, scikit-learn."""
