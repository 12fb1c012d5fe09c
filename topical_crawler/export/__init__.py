"""Export of a corpus: JSON lines, tables, plain text, a data set for Hugging Face, TEI, vertical text for concordancers."""
