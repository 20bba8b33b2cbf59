"""The calls of models: their journal, prices and limits."""
