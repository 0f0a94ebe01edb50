"""Checks every vector that enters the system: width, finite numbers, length one, right place."""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from providers.protocols import ProviderError

# Below this a direction is rounding noise, not meaning.
SMALLEST_LENGTH = 1e-9


def _refuse(problem: str, *, model: str, item: int | None) -> ProviderError:
    return ProviderError(f"model {model} {problem}", code="bad_vector", item=item)


def _numbers(vector: object, *, model: str, item: int | None) -> NDArray[np.float64]:
    if isinstance(vector, np.ndarray):
        return vector.astype(np.float64, copy=False)
    # type() and not isinstance: true is an int to Python, and "1" would be read as a number
    if not isinstance(vector, list | tuple) or any(type(x) not in (int, float) for x in vector):
        raise _refuse("returned something that is not a list of numbers", model=model, item=item)
    try:
        return np.asarray(vector, dtype=np.float64)
    except OverflowError:
        raise _refuse("returned a number that is too large", model=model, item=item) from None


def normalise(vector: object, *, model: str, width: int, item: int | None = None) -> list[float]:
    """The vector scaled to length one.

    Raises ProviderError (code bad_vector) naming the model when the vector has another width
    than ``width``, holds NaN or an infinity, or is all zero. ``item`` is the text's index, for the
    error.
    """
    numbers = _numbers(vector, model=model, item=item)
    if numbers.shape != (width,):
        found = numbers.shape[0] if numbers.ndim == 1 else "x".join(map(str, numbers.shape))
        problem = f"returned a vector of width {found}, but this embedding set has width {width}"
        raise _refuse(problem, model=model, item=item)
    if not np.isfinite(numbers).all():
        problem = "returned a vector with a number that is not finite (NaN or infinity)"
        raise _refuse(problem, model=model, item=item)
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest < SMALLEST_LENGTH / math.sqrt(max(width, 1)):
        raise _refuse("returned a zero vector, which has no direction", model=model, item=item)
    # dividing by the largest first keeps the squares of huge numbers finite
    scaled = numbers / largest
    unit: list[float] = (scaled / np.linalg.norm(scaled)).tolist()
    return unit


def place(
    answers: Iterable[tuple[object, object]], *, count: int, model: str, width: int
) -> list[list[float]]:
    """Vectors in the order of the texts, placed by the index each answer carries.

    ``answers`` yields (index, vector). Raises ProviderError when an index is missing, double or
    outside 0..count-1, or when a vector fails ``normalise``.
    """
    placed: dict[int, list[float]] = {}
    for index, vector in answers:
        if type(index) is not int or not 0 <= index < count:
            problem = f"returned a vector for a text that was not sent ({count} were)"
            raise _refuse(problem, model=model, item=None)
        if index in placed:
            raise _refuse("returned two vectors for one text", model=model, item=index)
        placed[index] = normalise(vector, model=model, width=width, item=index)
    for index in range(count):
        if index not in placed:
            problem = f"returned no vector for a text ({len(placed)} of {count} came back)"
            raise _refuse(problem, model=model, item=index)
    return [placed[index] for index in range(count)]


def mean(parts: list[list[float]], *, model: str, width: int, item: int) -> list[float]:
    """One vector for a text that was embedded in several parts: their mean, at length one."""
    if len(parts) == 1:
        return parts[0]
    return normalise(np.asarray(parts).mean(axis=0), model=model, width=width, item=item)
