"""ESVSM (Sun et al. 2018) and its baselines, in the order of the paper.

=========  ==========================================================  ==========================
§1.1 §1.3  the topic by LDA, hypernyms of topic words                  :mod:`.topic_model`
§1.2 §1.5  Eq. 2-7, SVSM, Eq. 9, the priority of a link, baselines     :mod:`.vector_space`
§1.4 §2    replacement of a topic word, the strategy                   :mod:`.strategy`
=========  ==========================================================  ==========================
"""
