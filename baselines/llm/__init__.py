"""Bidders that call language models."""
