"""Studies that train networks."""
