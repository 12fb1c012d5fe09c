"""A corpus written out: JSON lines, tables, plain text, a data set for Hugging Face, TEI, and vertical text for
concordancers.

Rows stand in fetch order, so the same corpus and the same choices always give the same bytes.
"""
