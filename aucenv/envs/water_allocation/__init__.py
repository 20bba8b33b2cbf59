"""The water allocation challenge (Alympics)."""
