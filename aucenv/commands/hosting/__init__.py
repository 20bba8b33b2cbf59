"""The server of `aucenv host`: tables in browsers."""
