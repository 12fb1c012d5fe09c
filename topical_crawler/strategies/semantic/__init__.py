"""Strategy ``semantic``: semantic relevancy from HowNet, word vectors and URL structure (Zhou, Wang, Yu 2019).

``adaptive`` orders links by the same formulas before it has learned anything. In the order of the paper:

=========  ==============================================================  =============================================
§3.1       Figure 1, the flow                                              :mod:`.strategy`
§4.1       Eq. 1 (SimD), Algorithm 1 (Sim)                                 :mod:`.similarity`, :mod:`topical_crawler.resources`
§4.3       Eq. 2 (word weights), Eq. 3 (Rel), the inverted index of §3.2   :mod:`topical_crawler.topic`, :mod:`.score_table`
§4.4       Eq. 4 (Jaccard), Algorithms 2 and 3 (struct)                    :mod:`.url_structure`
§4.5       Eq. 5 (p), AHP                                                  :mod:`.priority`, :mod:`.parameters`
=========  ==============================================================  =============================================

``as_printed = true`` in ``[strategy.semantic]`` takes every constant and rule of the paper: :data:`.parameters.PRINTED`.
"""
