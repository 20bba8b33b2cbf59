"""Output to terminals and files, and input of people."""
