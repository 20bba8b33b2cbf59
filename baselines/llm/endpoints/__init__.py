"""Models behind endpoints: requests, responses, errors and checks."""
