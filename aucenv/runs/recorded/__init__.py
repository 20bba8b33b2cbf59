"""Work on recorded games: replays, repairs, boards."""
