"""A corpus judged by people: a sample drawn, marked text by text, and what the marks say about the whole."""
