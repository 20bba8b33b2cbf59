"""The commands of `aucenv`, a module each."""
