"""How bidders that call models, and people, have decided."""
