"""Constants of Zhou et al. 2019, read from the table ``[strategy.semantic]`` of a topic, and α, β and λ of Eq. 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from topical_crawler.strategies.base import Parameters, check_fields, read_parameters
from topical_crawler.strategies.semantic.similarity import SimilarityParameters
from topical_crawler.strategies.semantic.url_structure import StructureParameters
from topical_crawler.topic.topic import Topic

SIMILARITY = SimilarityParameters(alpha=0.5, beta=0.5, th1=0.7, th2=0.7)
"""Constants of Algorithm 1 for Eq. 3, admitting only near-synonyms, lest a hundred faint similarities outweigh one right word.
0.7 scored best on three topics and two recorded webs (experiments/notes/papers.md)."""
Comparison = int | float | str


@dataclass(frozen=True)
class SemanticParameters(Parameters):
    """Constants of the method, read from ``[strategy.semantic]`` of a topic (experiments/notes/papers.md)."""

    page_threshold: float = 0.1  # a page is relevant if Eq. 3 over its description exceeds this. Not printed
    # Queue a link of a relevant page if Eq. 5 exceeds this. Printed: 0.2, where precision becomes stable (Figure 2).
    link_threshold: float = 0.2
    # Use Rel/(1 + Rel), in [0, 1), for each Rel of Eq. 5, to match its weights, with a sum of 1, and the structure of 0 or 1.
    # Printed: false. Eq. 3 has no upper bound, and with our weights it would drown the structure.
    bounded: bool = True
    # A kept page stays in the corpus if Eq. 3 over its extracted main text exceeds this. 0: no such check. Printed: none, since
    # the paper judges only the description.
    text_threshold: float = 0.0
    # Maximum number of consecutive off-topic pages with all links followed, even without a topic term in the anchor, at the low
    # priority of Eq. 5. Printed: 0 (§3.1, plain word match only).
    tunnel: int = 0
    # Let links inherit the relevance of words shared with the site's home page (`SiteWords`). Printed: true. False: Rel in Eq. 5
    # ignores these words. The full description still decides about keeping the page.
    site_words: bool = False
    # Describe a page without a meta description by its first heading and first 90 characters. Printed: false.
    first_lines: bool = True
    # Draw the history URLs of Algorithm 3 from the link's own site. Printed: true, since the paper crawls each site by itself.
    # False: from all sites of the crawl, with hardly any URL like more than half of them.
    own_site: bool = True
    history_sample: int = 15  # n of Algorithm 3. Not printed. An odd number has a clear majority
    # Pairwise comparison of (page description, anchor, URL structure), determining α, β and λ of Eq. 5. Not printed. Ours rates
    # the anchor somewhat above the page, and both above the structure.
    comparisons: Sequence[Sequence[Comparison]] = ((1, "1/2", 3), (2, 1, 5), ("1/3", "1/5", 1))
    structure: StructureParameters = field(default_factory=StructureParameters)  # constants of Algorithm 2
    as_printed: bool = False  # default to the constants and rules of the paper (`PRINTED`)

    def __post_init__(self) -> None:
        check_fields(self, least={"history_sample": 1})
        if self.bounded and self.link_threshold >= 1:
            raise ValueError(
                f"link_threshold is {self.link_threshold}, but no priority reaches 1. Set it below 1, or set bounded = false"
            )
        if not isinstance(self.comparisons, Sequence) or len(self.comparisons) != 3:
            raise ValueError("comparisons must be a 3 × 3 matrix over page description, anchor and URL structure")


PRINTED = SemanticParameters(
    as_printed=True,
    link_threshold=0.2,  # Figure 2
    text_threshold=0.0,  # §3.1: the description alone decides
    tunnel=0,  # §3.1: plain word match only on off-topic pages
    bounded=False,  # Eq. 5
    site_words=True,  # §3.1
    first_lines=False,  # §3.1
    own_site=True,  # §4.4 and Table 8: each site is crawled by itself
    structure=StructureParameters(threshold=0.1, within_host=False),  # Table 6; Algorithm 2, step 2
)
"""Meaning of ``as_printed = true``, with :data:`PRINTED_SIMILARITY`. Constants missing in the paper keep their defaults."""
PRINTED_SIMILARITY = SimilarityParameters(th1=0.1, th2=0.1)  # Table 5


def read_semantic_parameters(topic: Topic) -> tuple[SemanticParameters, SimilarityParameters]:
    """Read a topic's parameters for the strategy and for Algorithm 1.

    Raises:
        TopicError: a parameter cannot be used.
    """
    table = dict(topic.parameters.get("semantic", {}))
    printed = table.get("as_printed") is True
    defaults, of_words = (PRINTED, PRINTED_SIMILARITY) if printed else (SemanticParameters(), SIMILARITY)
    section = "strategy.semantic"
    similarity = read_parameters(SimilarityParameters, table.pop("similarity", {}), topic, f"{section}.similarity", of_words)
    structure = table.get("structure", {})
    table["structure"] = read_parameters(StructureParameters, structure, topic, f"{section}.structure", defaults.structure)
    return read_parameters(SemanticParameters, table, topic, section, defaults), similarity


# -- The analytic hierarchy process (§4.5; Saaty 1980)

MAX_INCONSISTENCY = 0.1  # largest consistency ratio accepted (Saaty's rule)
RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)  # mean consistency index by size, 1 to 10 (Saaty 1980)


def ahp_weights(matrix: Sequence[Sequence[Comparison]]) -> list[float]:
    """Return the weights of the things compared: the principal eigenvector, scaled to sum 1.

    Args:
        matrix: n × n, 1 <= n <= 10. ``matrix[i][j]`` is the importance of thing i relative to thing j (Saaty's scale, 1 to 9
            and its inverses), as a number or as a fraction in text ("1/3").

    Raises:
        ValueError: the matrix is not square, not positive, not reciprocal, or its consistency ratio is above 0.1.

    >>> [round(w, 3) for w in ahp_weights([[1, "1/2", 3], [2, 1, 5], ["1/3", "1/5", 1]])]
    [0.309, 0.582, 0.109]
    """
    if (ratio := consistency_ratio(matrix)) > MAX_INCONSISTENCY:
        raise ValueError(
            f"the comparisons contradict each other: consistency ratio {ratio:.2f}, allowed {MAX_INCONSISTENCY}. "
            f"If a is x times b and b is y times c, make a about x·y times c"
        )
    eigenvalues, vectors = np.linalg.eig(_matrix(matrix))
    principal = np.abs(vectors[:, int(np.argmax(eigenvalues.real))].real)
    return [float(w) for w in principal / principal.sum()]


def consistency_ratio(matrix: Sequence[Sequence[Comparison]]) -> float:
    """Return the inconsistency of the comparisons: 0 for none, about 1 for random comparisons.

    >>> round(consistency_ratio([[1, 2, 4], ["1/2", 1, 2], ["1/4", "1/2", 1]]), 6)
    0.0
    """
    n, eigenvalue = len(matrix), float(np.max(np.linalg.eigvals(_matrix(matrix)).real))
    return 0.0 if n < 3 else max(0.0, (eigenvalue - n) / (n - 1)) / RANDOM_INDEX[n - 1]


def _matrix(matrix: Sequence[Sequence[Comparison]]) -> np.ndarray:
    n = len(matrix)
    sizes = [len(row) if hasattr(row, "__len__") else 0 for row in matrix]
    if not 1 <= n <= len(RANDOM_INDEX) or any(size != n for size in sizes):
        raise ValueError(f"a comparison matrix must be square, 1 to {len(RANDOM_INDEX)} rows, got rows of {sizes}")
    try:
        values = np.array([[float(Fraction(cell)) for cell in row] for row in matrix])
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ValueError(f'a comparison must be a number or a fraction such as "1/3": {error}') from None
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError("every comparison must be above 0. Write 1/3, not -3, for the less important of two")
    if not np.allclose(values * values.T, 1.0, rtol=0.02):
        raise ValueError('row i, column j must be the inverse of row j, column i (3 against "1/3"), with 1 on the diagonal')
    return values
