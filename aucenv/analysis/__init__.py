"""Figures from records, for all games: rankings, intervals, models, exports."""
