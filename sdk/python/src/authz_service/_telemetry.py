"""Spans of OpenTelemetry, where its API can be imported. It is never a dependency."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional

from ._request import Request
from .decision import Decision
from .errors import ServiceError

try:
    from opentelemetry import trace as _trace
except ImportError:
    _trace = None


class Spans:
    """A span for each call. It names subject and resource only if the client was told to."""

    def __init__(self, personal_data: bool) -> None:
        self.on = _trace is not None
        self._personal_data = personal_data

    @contextmanager
    def span(self, name: str, request: Optional[Request] = None, question: Optional[Any] = None) -> Iterator[Dict[str, Any]]:
        """`request` and `result` of what is yielded tell the span what was sent, and how the call ended."""
        told: Dict[str, Any] = {"request": request}
        if not self.on:
            yield told
            return
        tracer = _trace.get_tracer("authz_service")
        with tracer.start_as_current_span(f"authz {name}", kind=_trace.SpanKind.CLIENT, record_exception=False) as span:
            try:
                yield told
            except ServiceError as error:
                span.set_attribute("error.type", error.code)
                raise
            finally:
                revision: Optional[str] = None
                sent = told["request"]
                if sent is not None:
                    span.set_attribute("authz.attempts", sent.attempts)
                    revision = sent.revision
                result = told.get("result")
                if isinstance(result, Decision):
                    span.set_attribute("authz.decision", result.allowed)
                    revision = result.revision
                if revision is not None:
                    span.set_attribute("authz.revision", revision)
                if self._personal_data and isinstance(question, dict):
                    for kind in ("subject", "resource"):
                        entity = question.get(kind)
                        if isinstance(entity, dict):
                            span.set_attribute(f"authz.{kind}", f"{entity.get('type')}:{entity.get('id', entity.get('name'))}")
