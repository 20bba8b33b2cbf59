"""Studies that train language models."""
