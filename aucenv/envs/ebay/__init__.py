"""Proxy auctions, as on eBay."""
