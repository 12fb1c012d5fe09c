"""Semantic relevancy from HowNet, word vectors and URL structure (Zhou, Wang, Yu 2019), in the order of the paper: what
:mod:`~topical_crawler.strategies.semantic` orders links by, and ``adaptive`` before it has learned anything.

=========  ==============================================================  =============================================
§4.1       Eq. 1 (SimD), Algorithm 1 (Sim)                                 :mod:`.similarity`, :mod:`topical_crawler.resources`
§4.3       Eq. 2 (word weights), Eq. 3 (Rel), the inverted index of §3.2   :mod:`topical_crawler.topic`, :mod:`.score_table`
§4.4       Eq. 4 (Jaccard), Algorithms 2 and 3 (struct)                    :mod:`.url_structure`
§4.5       Eq. 5 (p), AHP                                                  :mod:`.priority`, :mod:`.parameters`
=========  ==============================================================  =============================================
"""
