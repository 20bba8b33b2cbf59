"""English auctions of many items (AucArena)."""
