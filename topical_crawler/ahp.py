"""Analytic hierarchy process (Saaty 1980): weights from pairwise comparisons, with their consistency.

Zhou et al. 2019 (§4.5) settle α, β and λ of Eq. 5 this way.

>>> [round(w, 3) for w in ahp_weights([[1, "1/2", 3], [2, 1, 5], ["1/3", "1/5", 1]])]
[0.309, 0.582, 0.109]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

MAX_INCONSISTENCY = 0.1
"""Largest consistency ratio that is accepted (Saaty's rule)."""
RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)
"""Mean consistency index of random matrices of size 1 to 10 (Saaty 1980)."""

Comparison = int | float | str


def ahp_weights(matrix: Sequence[Sequence[Comparison]]) -> list[float]:
    """Weights of the things compared: the principal eigenvector, scaled to sum 1.

    Args:
        matrix: n × n, 1 <= n <= 10; ``matrix[i][j]`` says how many times more important thing i is than thing j (Saaty's scale,
            1 to 9 and its inverses), as a number or as a fraction in text ("1/3").

    Raises:
        ValueError: the matrix is not square, not positive, not reciprocal, or its consistency ratio is above 0.1.
    """
    values = _read(matrix)
    eigenvalues, vectors = np.linalg.eig(values)
    principal = int(np.argmax(eigenvalues.real))
    vector = np.abs(vectors[:, principal].real)
    ratio = _ratio(float(eigenvalues[principal].real), len(values))
    if ratio > MAX_INCONSISTENCY:
        raise ValueError(
            f"the comparisons contradict each other: consistency ratio {ratio:.2f}, allowed {MAX_INCONSISTENCY}. "
            f"Remedy: if a is x times b and b is y times c, then a should be about x·y times c"
        )
    return [float(w) for w in vector / vector.sum()]


def consistency_ratio(matrix: Sequence[Sequence[Comparison]]) -> float:
    """How far the comparisons contradict each other: 0 for not at all, about 1 for random ones.

    >>> round(consistency_ratio([[1, 2, 4], ["1/2", 1, 2], ["1/4", "1/2", 1]]), 6)
    0.0
    """
    values = _read(matrix)
    return _ratio(float(np.max(np.linalg.eigvals(values).real)), len(values))


def _ratio(eigenvalue: float, n: int) -> float:
    return 0.0 if n < 3 else max(0.0, (eigenvalue - n) / (n - 1)) / RANDOM_INDEX[n - 1]


def _read(matrix: Sequence[Sequence[Comparison]]) -> np.ndarray:
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
