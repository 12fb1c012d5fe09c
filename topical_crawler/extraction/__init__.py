"""From the source of a page to its kind, its main text and what is known of it."""
