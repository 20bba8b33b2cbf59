"""Intervals, tests and regressions over the design of a run."""
