"""ODP2EVSM (Zhang et al.), a crawl for books, in the order of the paper.

=========  ==========================================================  ==========================
§3.1       Eq. 1, initial keywords of a topic and their growth         :mod:`.topic_keywords`
§3.2       Eq. 2, keywords of a page by TextRank and G1                :mod:`.page_keywords`
§3.3       Eq. 3-5, the extension degree                               :mod:`.extension`
§4         searches, lists and pages of books                          :mod:`.books`
§4 §5      the strategy                                                :mod:`.strategy`
=========  ==========================================================  ==========================
"""
