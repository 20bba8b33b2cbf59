"""The modules of a game that follow from its declared fields."""
