"""The speed of runs on a Ray cluster, predicted and measured."""
