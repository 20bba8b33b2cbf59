"""Trainers, losses and the generation of replies."""
