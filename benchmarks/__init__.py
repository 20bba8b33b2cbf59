"""Measurements and studies: rankings, the benchmark, the papers, speed."""
