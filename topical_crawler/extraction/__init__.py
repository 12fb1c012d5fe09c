"""From the source of a page or document to its text, details and kind."""
