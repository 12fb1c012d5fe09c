"""The constants of Zhou et al. 2019 as the table ``[strategy.semantic]`` of a topic sets them, and α, β and λ of Eq. 5."""

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
"""Constants of Algorithm 1 for Eq. 3: near-synonyms only, lest a hundred faint similarities outweigh one right word. 0.7 was best
on three topics and two recorded webs (experiments/notes/papers.md)."""
Comparison = int | float | str


@dataclass(frozen=True)
class SemanticParameters(Parameters):
    """Hold the constants of the method, which ``[strategy.semantic]`` of a topic sets (experiments/notes/papers.md)."""

    page_threshold: float = 0.1  # a page is relevant when Eq. 3 over its description is above this. Not printed
    # A link of a relevant page is queued when Eq. 5 is above this. Printed: 0.2, from where precision is stable (Figure 2).
    link_threshold: float = 0.2
    # Whether Eq. 5 takes each Rel as Rel/(1 + Rel), in [0, 1), as its weights suppose, which sum to 1 beside a structure of 0 or
    # 1. Printed: false. Eq. 3 has no upper bound, and on the scale of our weights it leaves the structure no say.
    bounded: bool = True
    # A kept page stays in the corpus when Eq. 3 over its extracted main text is above this; 0: no such check. Printed: none; the
    # paper judges by the description alone.
    text_threshold: float = 0.0
    # How many pages off topic may be passed in a row: their links are then followed without a topic term in the anchor, at the
    # low place that Eq. 5 gives them. Printed: 0 (§3.1, plain word match only).
    tunnel: int = 0
    # Whether what a page says in the same words as its site's home page (`SiteWords`) counts for what its links inherit. Printed:
    # true. False: the page's description without those words stands for Rel in Eq. 5; all of it decides whether the page is kept.
    site_words: bool = False
    # Whether a page without a meta description is described by its first heading and first 90 characters. Printed: false.
    first_lines: bool = True
    # Draw the history URLs of Algorithm 3 from the link's own site. Printed: true; the paper crawls each site by itself. False:
    # from all sites of the crawl, of which hardly any URL has more than half on its side.
    own_site: bool = True
    history_sample: int = 15  # n of Algorithm 3. Not printed; an odd number has a clear majority
    # Pairwise comparison of (page description, anchor, URL structure), from which α, β and λ of Eq. 5 follow. Not printed; ours
    # holds the anchor for somewhat more telling than the page, and both for more telling than the structure.
    comparisons: Sequence[Sequence[Comparison]] = ((1, "1/2", 3), (2, 1, 5), ("1/3", "1/5", 1))
    structure: StructureParameters = field(default_factory=StructureParameters)  # constants of Algorithm 2
    as_printed: bool = False  # take the constants and rules of the paper (`PRINTED`) where this table says nothing else

    def __post_init__(self) -> None:
        check_fields(self, least={"history_sample": 1})
        if self.bounded and self.link_threshold >= 1:
            raise ValueError(
                f"link_threshold is {self.link_threshold}, and no priority reaches 1: give less than 1, or set bounded = false"
            )
        if not isinstance(self.comparisons, Sequence) or len(self.comparisons) != 3:
            raise ValueError("comparisons is a 3 × 3 matrix over page description, anchor and URL structure")


PRINTED = SemanticParameters(
    as_printed=True,
    link_threshold=0.2,  # Figure 2
    text_threshold=0.0,  # §3.1: the description alone decides
    tunnel=0,  # §3.1: of a page off topic, plain word match only
    bounded=False,  # Eq. 5
    site_words=True,  # §3.1
    first_lines=False,  # §3.1
    own_site=True,  # §4.4 and Table 8: each site is crawled by itself
    structure=StructureParameters(threshold=0.1, within_host=False),  # Table 6; Algorithm 2, step 2
)
"""What ``as_printed = true`` stands for, with :data:`PRINTED_SIMILARITY`. What the paper does not print is as ever."""
PRINTED_SIMILARITY = SimilarityParameters(th1=0.1, th2=0.1)  # Table 5


def read_semantic_parameters(topic: Topic) -> tuple[SemanticParameters, SimilarityParameters]:
    """The parameters that a topic sets for the strategy and for Algorithm 1. Raises TopicError for one that cannot be used."""
    table = dict(topic.parameters.get("semantic", {}))
    printed = table.get("as_printed") is True
    defaults, of_words = (PRINTED, PRINTED_SIMILARITY) if printed else (SemanticParameters(), SIMILARITY)
    section = "strategy.semantic"
    similarity = read_parameters(SimilarityParameters, table.pop("similarity", {}), topic, f"{section}.similarity", of_words)
    structure = table.get("structure", {})
    table["structure"] = read_parameters(StructureParameters, structure, topic, f"{section}.structure", defaults.structure)
    return read_parameters(SemanticParameters, table, topic, section, defaults), similarity


# -- The analytic hierarchy process (§4.5; Saaty 1980)

MAX_INCONSISTENCY = 0.1  # largest consistency ratio that is accepted (Saaty's rule)
RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)  # mean consistency index by size, 1 to 10 (Saaty 1980)


def ahp_weights(matrix: Sequence[Sequence[Comparison]]) -> list[float]:
    """Weights of the things compared: the principal eigenvector, scaled to sum 1. ``matrix[i][j]`` of n × n, 1 <= n <= 10, says
    how many times more important thing i is than thing j (Saaty's scale, 1 to 9 and its inverses), as a number or as a fraction
    in text ("1/3"). Raises ValueError where it is not square, not positive, not reciprocal, or its consistency ratio is above
    0.1.

    >>> [round(w, 3) for w in ahp_weights([[1, "1/2", 3], [2, 1, 5], ["1/3", "1/5", 1]])]
    [0.309, 0.582, 0.109]
    """
    if (ratio := consistency_ratio(matrix)) > MAX_INCONSISTENCY:
        raise ValueError(
            f"the comparisons contradict each other: consistency ratio {ratio:.2f}, allowed {MAX_INCONSISTENCY}. "
            f"Remedy: if a is x times b and b is y times c, then a should be about x·y times c"
        )
    eigenvalues, vectors = np.linalg.eig(_matrix(matrix))
    principal = np.abs(vectors[:, int(np.argmax(eigenvalues.real))].real)
    return [float(w) for w in principal / principal.sum()]


def consistency_ratio(matrix: Sequence[Sequence[Comparison]]) -> float:
    """How far the comparisons contradict each other: 0 for not at all, about 1 for random ones.

    >>> round(consistency_ratio([[1, 2, 4], ["1/2", 1, 2], ["1/4", "1/2", 1]]), 6)
    0.0
    """
    n, eigenvalue = len(matrix), float(np.max(np.linalg.eigvals(_matrix(matrix)).real))
    return 0.0 if n < 3 else max(0.0, (eigenvalue - n) / (n - 1)) / RANDOM_INDEX[n - 1]


def _matrix(matrix: Sequence[Sequence[Comparison]]) -> np.ndarray:
    n = len(matrix)
    sizes = [len(row) if hasattr(row, "__len__") else 0 for row in matrix]
    if not 1 <= n <= len(RANDOM_INDEX) or any(size != n for size in sizes):
        raise ValueError(f"a comparison matrix has as many columns as rows, 1 to {len(RANDOM_INDEX)}; got rows of {sizes}")
    try:
        values = np.array([[float(Fraction(cell)) for cell in row] for row in matrix])
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ValueError(f'a comparison is a number or a fraction such as "1/3": {error}') from None
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError("every comparison is above 0: write 1/3, not -3, for the less important of two")
    if not np.allclose(values * values.T, 1.0, rtol=0.02):
        raise ValueError('row i, column j must be the inverse of row j, column i (3 faces "1/3"), and 1 stands on the diagonal')
    return values
