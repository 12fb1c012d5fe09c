"""The strategy ``adaptive``, which learns from the crawl itself: page classifier, link model, link features and memory."""
