"""Which tests a state offers: the restricted actions of the decision process."""
