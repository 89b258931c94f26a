"""The endpoints of AuthZEN: one question, a batch, a search, and the metadata that say where they are."""

from __future__ import annotations

import re
import time
from typing import Any, AsyncIterator, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union, cast

from .._answers import decision_of, left_out_of, metadata_of, object_of, outcomes_of, page_of
from .._request import Request, json_bytes, origin_of, public_base
from .._telemetry import Spans
from ..decision import Decision, LeftOut, Metadata, Outcome
from ..errors import Network, NotEvaluated, NotFound, ServiceError, Timeout
from ..filters import Filter, filter_of
from .sender import AsyncSender

T = TypeVar("T")

#: The statuses that a decision point without batches answers.
_NO_BATCHES = (404, 405, 501)

_METADATA = "/.well-known/authzen-configuration"

#: Not of AuthZEN, so that no metadata name it.
_FILTER = "/v1/filter"

_PATHS = {
    "access_evaluation_endpoint": "/access/v1/evaluation",
    "access_evaluations_endpoint": "/access/v1/evaluations",
    "search_subject_endpoint": "/access/v1/search/subject",
    "search_resource_endpoint": "/access/v1/search/resource",
    "search_action_endpoint": "/access/v1/search/action",
}


class NoBatches(Exception):
    """The decision point takes no batches."""


class AsyncEndpoints:
    """Asks a decision point. `ends` is the time of `time.monotonic` at which a call has to be over."""

    def __init__(
        self,
        sender: AsyncSender,
        spans: Spans,
        managed: Callable[..., Request],
        attempt_timeout: float,
        retries: int,
        discover: bool,
    ) -> None:
        self._sender = sender
        self.spans = spans
        self._managed = managed
        self._attempt_timeout = attempt_timeout
        self._retries = retries
        self._paths: Optional[Dict[str, Optional[str]]] = None if discover else dict(_PATHS)
        #: Whether the decision point takes batches, as far as it is known.
        self.batches = True

    def without_batches(self) -> None:
        self.batches = False

    async def one(
        self, body: Mapping[str, Any], explain: bool, ends: float, request_id: Optional[str] = None
    ) -> Decision:
        with self.spans.span("decide", None, body) as told:
            return await self.answer(body, explain, ends, told, request_id)

    async def answer(
        self,
        body: Mapping[str, Any],
        explain: bool,
        ends: float,
        told: Dict[str, Any],
        request_id: Optional[str] = None,
    ) -> Decision:
        """The decision, which the caller's span is told of."""
        sent = {**body, "options": {**body.get("options", {}), "explain": True}} if explain else body
        path = await self._path("access_evaluation_endpoint", ends)
        told["request"] = request = self._decision_request(path, json_bytes(sent), ends, request_id)
        answer = await self._sender.send(request)
        at = f"POST {self._sender.base}{path}"
        told["result"] = decision = decision_of(object_of(answer, at), at, request.revision)
        return decision

    async def all(
        self,
        shared: Mapping[str, Any],
        bodies: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        ends: float,
        most: int,
        or_deny: bool,
        request_id: Optional[str] = None,
    ) -> List[Outcome]:
        """An outcome for each question, from batches of at most so many. With `or_deny`, the error of a batch is that of
        all its questions and of those after it."""
        semantic = options.get("evaluations_semantic", "execute_all")
        outcomes: List[Outcome] = []
        try:
            for start in range(0, len(bodies), most):
                if _ended(outcomes, semantic):
                    break
                chunk = bodies[start : start + most]
                if self.batches:
                    try:
                        outcomes += await self.batch(shared, chunk, options, ends, request_id=request_id)
                        continue
                    except NoBatches:
                        pass
                found = await self._one_by_one(shared, chunk, bool(options.get("explain")), semantic, ends, request_id)
                if any(outcome.decision is not None for outcome in found):
                    self.batches = False
                outcomes += found
        except ServiceError as error:
            placed = _in_whole_batch(error, len(outcomes))
            if not or_deny:
                raise placed from error.__cause__
            outcomes += [Outcome(error=placed)] * (len(bodies) - len(outcomes))
        rest = len(bodies) - len(outcomes)
        return outcomes + [Outcome(error=NotEvaluated("The batch ended with an earlier question."))] * rest

    async def batch(
        self,
        shared: Mapping[str, Any],
        bodies: Union[Sequence[Mapping[str, Any]], Sequence[bytes]],
        options: Mapping[str, Any],
        ends: float,
        wanted: Optional[Callable[[], bool]] = None,
        request_id: Optional[str] = None,
    ) -> List[Outcome]:
        """The outcomes of one request, of questions that may be written as JSON already. Raises `NoBatches`."""
        path = await self._path("access_evaluations_endpoint", ends, needed=False)
        if path is None:
            raise NoBatches
        request = self._decision_request(path, _written(shared, bodies, options), ends, request_id)
        if wanted is not None:
            request.wanted = wanted
        at = f"POST {self._sender.base}{path}"
        semantic = options.get("evaluations_semantic", "execute_all")
        try:
            with self.spans.span("decide_all", request):
                answer = await self._sender.send(request)
                return outcomes_of(object_of(answer, at), len(bodies), semantic != "execute_all", at, request.revision)
        except ServiceError as error:
            if error.status not in _NO_BATCHES:
                raise
            raise NoBatches from None

    async def search(
        self,
        endpoint: str,
        question: Mapping[str, Any],
        read: Callable[[Any, str], T],
        limit: Optional[int],
        timeout: Optional[float],
        request_id: Optional[str],
        on_left_out: Optional[Callable[[LeftOut], None]],
    ) -> AsyncIterator[T]:
        page: Dict[str, Any] = {} if limit is None else {"limit": limit}
        while True:
            request = self._managed("POST", "", None, None, timeout)
            request.path = await self._path(endpoint, time.monotonic() + request.total)
            request.body = json_bytes({**question, "page": page} if page else question)
            request.answered_by = (200,)
            request.past = True
            request.request_id = request_id
            at = f"POST {self._sender.base}{request.path}"
            with self.spans.span("search", request):
                answer = object_of(await self._sender.send(request), at)
                results, token = page_of(answer, at)
            left_out = left_out_of(answer)
            if left_out is not None and on_left_out is not None:
                on_left_out(left_out)
            for result in results:
                yield read(result, at)
            if token is None:
                return
            if page.get("token") == token:
                raise Network(f"{at} names the same page as the next one again.")
            page["token"] = token

    async def filter_rows(
        self, body: Mapping[str, Any], takes_partial: bool, ends: float, request_id: Optional[str]
    ) -> Filter:
        found, _ = await self._filter(body, takes_partial, False, ends, request_id)
        return found

    async def filter_parts(
        self,
        body: Mapping[str, Any],
        takes_partial: bool,
        limit: Optional[int],
        timeout: float,
        request_id: Optional[str],
    ) -> AsyncIterator[Filter]:
        page: Dict[str, Any] = {} if limit is None else {"limit": limit}
        while True:
            ends = time.monotonic() + timeout
            part, token = await self._filter({**body, "page": page}, takes_partial, True, ends, request_id)
            if not isinstance(token, str) or (token and token == page.get("token")):
                raise Network("A part of a filter does not say which is the next: that is not an answer.")
            yield part
            if not token:
                return
            page["token"] = token

    async def _filter(
        self, body: Mapping[str, Any], takes_partial: bool, in_parts: bool, ends: float, request_id: Optional[str]
    ) -> Tuple[Filter, Any]:
        request = self._decision_request(_FILTER, json_bytes(body), ends, request_id)
        at = f"POST {self._sender.base}{_FILTER}"
        with self.spans.span("filter", request):
            answer = object_of(await self._sender.send(request), at)
            found = filter_of(answer, takes_partial, at, request.revision, in_parts)
            page = answer.get("page")
            return found, page.get("next_token") if isinstance(page, dict) else None

    async def metadata(self, timeout: Optional[float], request_id: Optional[str] = None) -> Metadata:
        base = public_base(self._sender.base)
        origin = origin_of(base)
        path = base[len(origin) :]
        if path:
            try:
                # AuthZEN puts the path of the decision point behind the well-known one (section 9.2); a proxy, before it.
                return await self._metadata(f"{origin}{_METADATA}{path}", timeout, request_id)
            except ServiceError as error:
                if error.status != 404:
                    raise
        return await self._metadata(None, timeout, request_id)

    async def _metadata(self, url: Optional[str], timeout: Optional[float], request_id: Optional[str]) -> Metadata:
        request = self._managed("GET", _METADATA, None, None, timeout)
        request.url = url
        request.request_id = request_id
        request.answered_by = (200,)
        with self.spans.span("metadata", request):
            answer = await self._sender.send(request)
            at = f"GET {url or self._sender.base + _METADATA}"
            return metadata_of(object_of(answer, at), origin_of(public_base(self._sender.base)), at)

    async def _one_by_one(
        self,
        shared: Mapping[str, Any],
        bodies: Sequence[Mapping[str, Any]],
        explain: bool,
        semantic: str,
        ends: float,
        request_id: Optional[str],
    ) -> List[Outcome]:
        outcomes: List[Outcome] = []
        for body in bodies:
            try:
                outcomes.append(Outcome(await self.one({**shared, **body}, explain, ends, request_id)))
            except ServiceError as error:
                outcomes.append(Outcome(error=error))
            if _ended(outcomes, semantic):
                break
        return outcomes

    async def _path(self, endpoint: str, ends: float, needed: bool = True) -> Any:
        """Return the path of an endpoint below the base address."""
        paths = self._paths
        if paths is None:
            base = public_base(self._sender.base)
            found = await self.metadata(_left(ends))
            paths = {}
            for name in _PATHS:
                url: Optional[str] = getattr(found, name)
                if url is not None and not url.startswith(f"{base}/"):
                    raise Network(f"The decision point names {url} as {name}, which is not below {base}.")
                paths[name] = None if url is None else url[len(base) :]
            self._paths = paths
        if needed and paths[endpoint] is None:
            raise NotFound(f"{self._sender.base} names no {endpoint}: it does not offer that.")
        return paths[endpoint]

    def _decision_request(self, path: str, body: bytes, ends: float, request_id: Optional[str]) -> Request:
        return Request(
            "POST", path, _left(ends), self._attempt_timeout, self._retries, 0.05, body, request_id=request_id, past=True
        )


def _written(
    shared: Mapping[str, Any], bodies: Union[Sequence[Mapping[str, Any]], Sequence[bytes]], options: Mapping[str, Any]
) -> bytes:
    """A batch as it is sent. Questions may be written already."""
    if bodies and isinstance(bodies[0], bytes):
        evaluations = b",".join(cast(Sequence[bytes], bodies))
        return b'{"evaluations":[' + evaluations + b'],"options":' + json_bytes(options) + b"}"
    body: Dict[str, Any] = {**shared, "evaluations": list(bodies)}
    if options:
        body["options"] = options
    return json_bytes(body)


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise Timeout("There was no decision in time.")
    return left


def _in_whole_batch(error: ServiceError, first: int) -> ServiceError:
    """The error of one request of a batch that was split: its places count from the first question of the whole batch."""

    def placed(text: str) -> str:
        return re.sub(r"/evaluations/(\d+)", lambda found: f"/evaluations/{int(found[1]) + first}", text)

    return error if first == 0 else error.rewritten(placed)


def _ended(outcomes: Sequence[Outcome], semantic: str) -> bool:
    """Whether the semantic ends with the last of these: a failure is a denial to it."""
    if semantic == "execute_all" or not outcomes:
        return False
    last = outcomes[-1]
    if isinstance(last.error, NotEvaluated):
        return True
    allowed = last.decision is not None and last.decision.allowed
    return allowed == (semantic == "permit_on_first_permit")
