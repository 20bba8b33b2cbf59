"""Sealed-bid auctions."""
