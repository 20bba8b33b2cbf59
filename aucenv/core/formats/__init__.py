"""Files that people and programs write: their parsing, checks and schemas."""
