"""Bidders: rules, the population, language models, people."""
