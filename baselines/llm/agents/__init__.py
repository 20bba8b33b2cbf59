"""Agents: what a model is asked before it bids, and how its replies become a decision."""
