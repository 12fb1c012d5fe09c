"""Human judgement of a corpus: drawing a sample, marking its texts, estimating figures of the whole."""
