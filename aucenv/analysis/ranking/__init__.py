"""Ratings and tables of bidders."""
