"""Models in this process, and replies of a form."""
