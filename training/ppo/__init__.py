"""PPO: networks in self-play and among rivals, and best responses."""
