"""Sealed-bid auctions: beliefs, exact profits and shares of values."""
