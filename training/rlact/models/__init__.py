"""Base models, checkpoints and their cards; the models that come with the package."""
