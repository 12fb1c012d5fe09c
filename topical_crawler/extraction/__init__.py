"""Text, details and kind of a page or document, extracted from its source."""
