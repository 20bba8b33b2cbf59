"""A script in place of a model, `llm:scripted`."""
