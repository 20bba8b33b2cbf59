"""Options that commands share, their help, completion and errors."""
