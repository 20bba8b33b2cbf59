"""The page of a run: its tables and the replays of its games."""
