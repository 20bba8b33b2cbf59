"""What is done with recorded games: replays, repairs, boards."""
