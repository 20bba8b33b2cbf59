"""Playing games, and keeping what has happened."""
