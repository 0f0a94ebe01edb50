"""What is counted, for Prometheus; labels are words of our own, never what people sent."""

import math
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

from app.operations.calls import VitalSigns
from app.pool import Pool

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
UNMATCHED = "none"

_REGISTRY = CollectorRegistry()
ProcessCollector(registry=_REGISTRY)

_requests = Counter(
    "pgkb_http_requests",
    "Requests answered, by route and status; 499 is a client that went away.",
    ["method", "route", "status"],
    registry=_REGISTRY,
)
_seconds = Histogram(
    "pgkb_http_request_seconds",
    "From the first byte of a request to the last of its answer.",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120),
    registry=_REGISTRY,
)
_in_progress = Gauge(
    "pgkb_http_requests_in_progress", "Requests being answered.", registry=_REGISTRY
)
_searches = Counter(
    "pgkb_searches",
    "Searches, by the legs that were used and whether anything was found.",
    ["mode", "found"],
    registry=_REGISTRY,
)
_fallbacks = Counter(
    "pgkb_search_fallbacks",
    "Searches that were widened: tags left out, or all areas instead of none.",
    ["kind"],
    registry=_REGISTRY,
)
_vectors = Counter(
    "pgkb_query_vectors",
    "Where the vectors of questions came from: cached, provider or unavailable.",
    ["source"],
    registry=_REGISTRY,
)
_pool = Gauge(
    "pgkb_pool_connections", "Connections of the pool: open, lent, and how many may be.",
    ["state"], registry=_REGISTRY,
)  # fmt: skip
_database_up = Gauge("pgkb_database_up", "1 when the database answered.", registry=_REGISTRY)
_queue = Gauge("pgkb_queue_tasks", "Tasks of the queue, by state.", ["state"], registry=_REGISTRY)
_queue_age = Gauge(
    "pgkb_queue_oldest_ready_seconds",
    "How long the task that has waited longest could have been taken.",
    registry=_REGISTRY,
)
_invalid_indexes = Gauge("pgkb_invalid_indexes", "Indexes no query uses.", registry=_REGISTRY)


def request_began() -> None:
    """Count a request that is being answered."""
    _in_progress.inc()


def request_ended(*, method: str, route: str, status: int, seconds: float) -> None:
    """Count an answer."""
    _in_progress.dec()
    _requests.labels(method, route, str(status)).inc()
    _seconds.labels(method, route).observe(seconds)


def searched(*, mode: str, found: bool, source: str, fallbacks: Mapping[str, bool]) -> None:
    """Count a search."""
    _searches.labels(mode, "yes" if found else "no").inc()
    _vectors.labels(source).inc()
    for kind, used in fallbacks.items():
        if used:
            _fallbacks.labels(kind).inc()


def exposition(pool: Pool, *, limit: int, signs: VitalSigns | None) -> bytes:
    """Everything in Prometheus' text format; without signs the database did not answer."""
    _pool.labels("open").set(pool.get_size())
    _pool.labels("lent").set(pool.get_size() - pool.get_idle_size())
    _pool.labels("most").set(limit)
    _database_up.set(signs is not None)
    _queue.labels("ready").set(math.nan if signs is None else signs.tasks_ready)
    _queue.labels("running").set(math.nan if signs is None else signs.tasks_running)
    _queue.labels("dead").set(math.nan if signs is None else signs.tasks_dead)
    _queue_age.set(math.nan if signs is None else signs.oldest_ready_seconds)
    _invalid_indexes.set(math.nan if signs is None else signs.invalid_indexes)
    return generate_latest(_REGISTRY)
