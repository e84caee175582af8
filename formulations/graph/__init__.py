"""The AND/OR program over reachable sets of examples."""
