"""Strategy ``adaptive``, learning from the crawl itself: page classifier, link model, link features and memory."""
