"""Housing auctions (HARBOR)."""
