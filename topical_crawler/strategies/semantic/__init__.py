"""The strategy ``semantic``: the flow of Figure 1 (Zhou, Wang, Yu 2019, §3.1) in :mod:`.strategy`, over the formulas of
:mod:`topical_crawler.strategies.relevancy`.

``as_printed = true`` in ``[strategy.semantic]`` takes every constant and rule of the paper:
:data:`~topical_crawler.strategies.relevancy.parameters.PRINTED`.
"""
