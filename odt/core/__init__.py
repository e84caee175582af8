"""The protocol and the referee."""
