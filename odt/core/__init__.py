"""The protocol of solvers and the referee of their claims."""
