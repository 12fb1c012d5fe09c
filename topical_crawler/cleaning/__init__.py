"""From an extracted text to one that may be stored: mended, without boilerplate, measured, and judged.

:class:`TextCleaner` does it all; the modules below it know nothing of each other but characters.
"""

from topical_crawler.cleaning.process import CleanedText as CleanedText
from topical_crawler.cleaning.process import CleaningOptions as CleaningOptions
from topical_crawler.cleaning.process import TextCleaner as TextCleaner
