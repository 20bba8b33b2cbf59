"""The subjects of `aucenv.benchmarks.speed`."""
