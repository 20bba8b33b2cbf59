"""Adapters for training libraries; each module needs its library to be installed."""
