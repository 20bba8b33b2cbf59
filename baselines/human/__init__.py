"""People as bidders: their requests and answers, without any transport."""
