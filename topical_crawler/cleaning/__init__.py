"""From an extracted text to a clean one, or the reason why it is refused."""
