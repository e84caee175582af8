"""Drivers of solver libraries."""
