"""Measures of relevance that several strategies share: vectors of terms, their semantic readings, topics, keywords."""
