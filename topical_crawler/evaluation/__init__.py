"""Labels, metrics and reports of crawls."""
