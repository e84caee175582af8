"""What all models of a tree share: positions, measures, first solutions."""
