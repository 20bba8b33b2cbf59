"""Probes: boosted trees that decide from numbers."""
