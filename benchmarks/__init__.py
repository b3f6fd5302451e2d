"""Measurements behind the figures in the documentation: `make bench` prints them in one table."""
