"""Clock auctions."""
