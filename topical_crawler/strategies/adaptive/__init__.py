"""Learning during a crawl: what is remembered of fetched pages, a judge of pages and a model of links that learn from it.

Nothing here needs labels. The only teacher of the link model is the judge's opinion of what the links led to; the only teacher
of the judge is the topic, with what a person has marked.
"""
