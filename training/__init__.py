"""Training of bidders."""
