"""Spans for OpenTelemetry: one for a request, one for each statement; off unless asked for.

On when OTEL_EXPORTER_OTLP_ENDPOINT is set and the extra `pgkb[otel]` is installed. Spans hold
routes and the app's own statements, which bind every value: never a question or an id.
"""

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncpg.connection import LoggedQuery
    from opentelemetry.trace import Span

    from app.calls import Connection

_log = logging.getLogger("pgkb.app")

_WANTED_BY = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
# the SDK's provider and its tracer, or None while tracing is off
_provider: Any = None
_tracer: Any = None


def start(environ: Mapping[str, str] = os.environ) -> bool:
    """Turn tracing on when the environment asks for it; whether it is on."""
    global _provider, _tracer
    if not any(environ.get(name) for name in _WANTED_BY):
        return False
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        _log.warning("no traces: OpenTelemetry is not installed. Add it with `pgkb[otel]`")
        return False
    _provider = TracerProvider(
        resource=Resource.create({"service.name": environ.get("OTEL_SERVICE_NAME", "pgkb")})
    )
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = _provider.get_tracer("pgkb")
    return True


def stop() -> None:
    """Send what is left and turn tracing off."""
    global _provider, _tracer
    if _provider is not None:
        _provider.shutdown()
    _provider = _tracer = None


@contextmanager
def request_span() -> Iterator["Span | None"]:
    """A span around a request; None while tracing is off."""
    if _tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind

    with _tracer.start_as_current_span("request", kind=SpanKind.SERVER) as span:
        yield span


def describe(span: "Span | None", *, method: str, route: str, status: int) -> None:
    """Name a request's span once its route is known."""
    if span is None:
        return
    span.update_name(f"{method} {route}")
    span.set_attribute("http.request.method", method)
    span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)


@contextmanager
def statement_spans(connection: "Connection") -> Iterator[None]:
    """A span for every statement sent while a connection is lent."""
    if _tracer is None:
        yield
        return
    with connection.query_logger(_trace_statement):
        yield


def _trace_statement(record: "LoggedQuery") -> None:
    """Called by the driver after a statement, in the context of whoever sent it."""
    if _tracer is None:
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode

    ended = time.time_ns()
    span = _tracer.start_span(
        "statement", kind=SpanKind.CLIENT, start_time=ended - int(record.elapsed * 1e9)
    )
    span.set_attribute("db.system.name", "postgresql")
    span.set_attribute("db.query.text", record.query)
    if record.exception is not None:
        span.set_status(Status(StatusCode.ERROR, type(record.exception).__name__))
    span.end(ended)
