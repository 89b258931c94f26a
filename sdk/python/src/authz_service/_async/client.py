"""The client."""

from __future__ import annotations

import ssl
import time
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
)

from .._answers import action_of, decision_of, entity_of, metadata_of, object_of, outcomes_of, page_of
from .._authorization import bearer
from .._request import Request, base_address, json_bytes, origin_of
from .._telemetry import Spans
from ..decision import Decision, Entity, FoundAction, Metadata, Outcome, denied_because
from ..errors import InvalidConfig, InvalidRequest, Network, NotEvaluated, NotFound, ServiceError, Timeout
from ..questions import (
    ActionLike,
    Json,
    Question,
    QuestionLike,
    ResourceLike,
    SubjectLike,
    TypeLike,
    body_of,
    type_body,
)
from .batcher import AsyncBatcher
from .management import AsyncManagement
from .sender import AsyncApiKey, AsyncAuthorization, AsyncSender
from .token_source import AsyncTokenSource
from .transport import AsyncTransport, HttpxTransport
from .waiting import AsyncTasks, asked

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

#: The statuses that a decision point without batches answers.
_NO_BATCHES = (404, 405, 501)

_PATHS = {
    "access_evaluation_endpoint": "/access/v1/evaluation",
    "access_evaluations_endpoint": "/access/v1/evaluations",
    "search_subject_endpoint": "/access/v1/search/subject",
    "search_resource_endpoint": "/access/v1/search/resource",
    "search_action_endpoint": "/access/v1/search/action",
}


class AsyncClient(AsyncManagement):
    """Asks a decision point: the cloud, an agent, or any other of AuthZEN 1.0.

    A question is allowed, denied, or could not be decided. The first two are a `Decision`, which counts in a condition as
    what was decided; the third is a raised `ServiceError`. `or_deny=True` denies it instead, for that call.

    `credentials` are given as `api_key`, or as `client_id` and `client_secret`; an agent needs none. Times are in seconds.
    `timeout` of a call is its total deadline. `batch_window` joins decisions that are asked within so many seconds into
    one request. `discover` asks the decision point first where its endpoints are. `personal_data_in_spans` lets spans of
    OpenTelemetry name subject and resource.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str] = None,
        client_id: Optional[str] = None,
        client_secret: Optional[str] = None,
        decision_timeout: float = 2.0,
        decision_attempt_timeout: float = 1.0,
        timeout: float = 120.0,
        attempt_timeout: float = 30.0,
        retries: Optional[int] = None,
        batch_window: Optional[float] = None,
        batch_max: int = 1000,
        discover: bool = False,
        http_client: Optional[httpx.AsyncClient] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        user_agent: str = "authz-service-python",
        personal_data_in_spans: bool = False,
        transport: Optional[AsyncTransport] = None,
    ) -> None:
        self.url = base_address(url)
        if transport is None:
            transport = HttpxTransport(http_client, self.url, ssl_context)
        self._transport = transport
        self._tasks = AsyncTasks()
        authorization: Optional[AsyncAuthorization] = None
        if api_key is not None:
            if client_id is not None or client_secret is not None:
                raise InvalidConfig("Give either api_key, or client_id and client_secret.")
            authorization = AsyncApiKey(bearer(api_key, "The API key"))
        elif client_id is not None or client_secret is not None:
            authorization = AsyncTokenSource(
                transport,
                self.url,
                client_id or "",
                client_secret or "",
                user_agent,
                3 if retries is None else retries,
                self._tasks,
            )
        sender = AsyncSender(transport, self.url, authorization, user_agent)
        super().__init__(sender, timeout, attempt_timeout, 3 if retries is None else retries)
        self._decision_timeout = decision_timeout
        self._decision_attempt_timeout = decision_attempt_timeout
        self._decision_retries = 2 if retries is None else retries
        if batch_max < 1:
            raise InvalidConfig("batch_max must be 1 or more.")
        self._batch_max = batch_max
        self._batches = True
        self._paths: Optional[Dict[str, Optional[str]]] = None if discover else dict(_PATHS)
        self._spans = Spans(personal_data_in_spans)
        self._batcher = (
            None
            if batch_window is None
            else AsyncBatcher(self._joined, batch_window, batch_max, self._tasks)
        )

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Gives up what is under way in the background, and closes the connections."""
        await self._tasks.end()
        await self._transport.close()

    @asked
    async def decide(
        self,
        subject: SubjectLike,
        action: ActionLike,
        resource: ResourceLike,
        context: Optional[Json] = None,
        *,
        explain: bool = False,
        or_deny: bool = False,
        timeout: Optional[float] = None,
    ) -> Decision:
        """May the subject do the action to the resource?

        Raises `ServiceError` where that could not be decided; with `or_deny` that is a denial, whose `decided` is false.
        """
        return await self.ask(
            Question(subject, action, resource, context), explain=explain, or_deny=or_deny, timeout=timeout
        )

    @asked
    async def ask(
        self,
        question: QuestionLike,
        *,
        explain: bool = False,
        or_deny: bool = False,
        timeout: Optional[float] = None,
    ) -> Decision:
        """The same as `decide`, for a `Question`."""
        body = body_of(question)
        ends = time.monotonic() + (self._decision_timeout if timeout is None else timeout)
        try:
            decision: Optional[Decision] = None
            if self._batcher is not None and self._batches:
                with self._spans.span("decide", None, body) as told:
                    decision = await self._batcher.ask(body, explain, ends - time.monotonic())
                    told["result"] = decision
            return await self._single(body, explain, ends) if decision is None else decision
        except ServiceError as error:
            if or_deny:
                return denied_because(error)
            raise

    async def decide_all(
        self,
        questions: Iterable[QuestionLike],
        *,
        subject: Optional[SubjectLike] = None,
        action: Optional[ActionLike] = None,
        resource: Optional[ResourceLike] = None,
        context: Optional[Json] = None,
        semantic: str = "execute_all",
        reasons: bool = False,
        explain: bool = False,
        or_deny: bool = False,
        timeout: Optional[float] = None,
    ) -> List[Outcome]:
        """Many questions at once, decided at one revision: an `Outcome` for each, in order.

        What is given beside `questions` stands in for those that lack it. `semantic` says how far to go: `execute_all`,
        `deny_on_first_deny` or `permit_on_first_permit`; what comes after the end is `NotEvaluated`. Raises `ServiceError`
        where nothing could be decided. `reasons` asks for reason, policy and access path of each. More questions than
        `batch_max` go in several requests.
        """
        if semantic not in ("execute_all", "deny_on_first_deny", "permit_on_first_permit"):
            raise InvalidRequest(f'"{semantic}" is no semantic of evaluations.')
        shared = body_of(Question(subject, action, resource, context))
        options: Dict[str, Any] = {}
        if semantic != "execute_all":
            options["evaluations_semantic"] = semantic
        if reasons:
            options["reasons"] = True
        if explain:
            options["explain"] = True
        bodies = [body_of(question) for question in questions]
        ends = time.monotonic() + (self._decision_timeout if timeout is None else timeout)
        outcomes: List[Outcome] = []
        try:
            for start in range(0, len(bodies), self._batch_max):
                if _ended(outcomes, semantic):
                    break
                chunk = bodies[start : start + self._batch_max]
                found = await self._batch(shared, chunk, options, semantic, ends, None)
                if found is None:
                    found = await self._one_by_one(shared, chunk, explain, semantic, ends)
                outcomes += found
        except ServiceError as error:
            if not or_deny:
                raise
            outcomes += [Outcome(error=error)] * (len(bodies) - len(outcomes))
        rest = len(bodies) - len(outcomes)
        outcomes += [Outcome(error=NotEvaluated("The batch ended with an earlier question."))] * rest
        if or_deny:
            return [Outcome(denied_because(one.error)) if one.error is not None else one for one in outcomes]
        return outcomes

    async def filter(
        self,
        items: Iterable[T],
        resource: Callable[[T], ResourceLike],
        *,
        subject: SubjectLike,
        action: ActionLike,
        context: Optional[Json] = None,
        or_deny: bool = False,
        timeout: Optional[float] = None,
    ) -> List[T]:
        """Keeps the items on whose resource the subject may do the action; asks in batches.

        Raises the error of the first item that could not be decided; `or_deny` leaves such items out.
        """
        kept = list(items)
        outcomes = await self.decide_all(
            [Question(resource=resource(item)) for item in kept],
            subject=subject,
            action=action,
            context=context,
            or_deny=or_deny,
            timeout=timeout,
        )
        return [item for item, outcome in zip(kept, outcomes) if outcome]

    def search_subjects(
        self,
        subject: TypeLike,
        action: ActionLike,
        resource: ResourceLike,
        context: Optional[Json] = None,
        *,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> AsyncIterator[Entity]:
        """The subjects of a type that may do this, page by page as the loop goes on.

        `limit` is the most of a page, `timeout` the deadline of each. All pages are of one revision: where the tenant
        moves on meanwhile, `InvalidRequest` (`invalid_cursor`).
        """
        body = {**body_of(Question(None, action, resource, context)), "subject": type_body(subject)}
        return self._search("search_subject_endpoint", body, entity_of, limit, timeout)

    def search_resources(
        self,
        subject: SubjectLike,
        action: ActionLike,
        resource: TypeLike,
        context: Optional[Json] = None,
        *,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> AsyncIterator[Entity]:
        """The resources of a type on which the subject may do this."""
        body = {**body_of(Question(subject, action, None, context)), "resource": type_body(resource)}
        return self._search("search_resource_endpoint", body, entity_of, limit, timeout)

    def search_actions(
        self,
        subject: SubjectLike,
        resource: ResourceLike,
        context: Optional[Json] = None,
        *,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> AsyncIterator[FoundAction]:
        """What the subject may do to the resource."""
        body = body_of(Question(subject, None, resource, context))
        return self._search("search_action_endpoint", body, action_of, limit, timeout)

    async def metadata(self, *, timeout: Optional[float] = None) -> Metadata:
        """Where the decision point says that its endpoints are. Raises `Network` for one that is not of its origin."""
        request = self._request("GET", "/.well-known/authzen-configuration", None, None, timeout)
        with self._spans.span("metadata", request):
            answer = await self._sender.send(request)
            at = f"GET {self.url}{request.path}"
            return metadata_of(object_of(answer, at), origin_of(self.url), at)

    async def _single(self, body: Mapping[str, Any], explain: bool, ends: float) -> Decision:
        sent = {**body, "options": {**body.get("options", {}), "explain": True}} if explain else body
        path = await self._path("access_evaluation_endpoint", ends)
        request = self._decision_request(path, sent, ends)
        with self._spans.span("decide", request, body) as told:
            answer = await self._sender.send(request)
            at = f"POST {self.url}{path}"
            decision = decision_of(object_of(answer, at), at, request.revision)
            told["result"] = decision
            return decision

    async def _batch(
        self,
        shared: Mapping[str, Any],
        bodies: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        semantic: str,
        ends: float,
        wanted: Optional[Callable[[], bool]],
    ) -> Optional[List[Outcome]]:
        """The outcomes of one request; None where the decision point has no batches."""
        path = await self._path("access_evaluations_endpoint", ends, needed=False) if self._batches else None
        if path is None:
            self._batches = False
            return None
        body: Dict[str, Any] = {**shared, "evaluations": list(bodies)}
        if options:
            body["options"] = options
        request = self._decision_request(path, body, ends)
        if wanted is not None:
            request.wanted = wanted
        at = f"POST {self.url}{path}"
        try:
            with self._spans.span("decide_all", request):
                answer = await self._sender.send(request)
                return outcomes_of(object_of(answer, at), len(bodies), semantic != "execute_all", at, request.revision)
        except ServiceError as error:
            if error.status not in _NO_BATCHES:
                raise
            self._batches = False
            return None

    async def _one_by_one(
        self, shared: Mapping[str, Any], bodies: Sequence[Mapping[str, Any]], explain: bool, semantic: str, ends: float
    ) -> List[Outcome]:
        outcomes: List[Outcome] = []
        for body in bodies:
            try:
                outcomes.append(Outcome(await self._single({**shared, **body}, explain, ends)))
            except ServiceError as error:
                outcomes.append(Outcome(error=error))
            if _ended(outcomes, semantic):
                break
        return outcomes

    async def _joined(
        self, questions: List[Mapping[str, Any]], explain: bool, seconds: float, wanted: Callable[[], bool]
    ) -> Optional[List[Outcome]]:
        """Decides what was asked in one window; None where each question has to be asked alone."""
        if len(questions) == 1:
            return None
        options = {"reasons": True, "explain": True} if explain else {"reasons": True}
        try:
            return await self._batch({}, questions, options, "execute_all", time.monotonic() + seconds, wanted)
        except InvalidRequest:
            # One question may be at fault for the whole batch. Asked alone, each gets its own
            # answer.
            return None

    async def _search(
        self,
        endpoint: str,
        question: Mapping[str, Any],
        read: Callable[[Any, str], T],
        limit: Optional[int],
        timeout: Optional[float],
    ) -> AsyncIterator[T]:
        page: Dict[str, Any] = {} if limit is None else {"limit": limit}
        while True:
            total = self._total if timeout is None else timeout
            path = await self._path(endpoint, time.monotonic() + total)
            request = self._request("POST", path, None, None, timeout)
            request.body = json_bytes({**question, "page": page} if page else question)
            at = f"POST {self.url}{path}"
            with self._spans.span("search", request):
                results, token = page_of(object_of(await self._sender.send(request), at), at)
            for result in results:
                yield read(result, at)
            if token is None:
                return
            if page.get("token") == token:
                raise Network(f"{at} names the same page as the next one again.")
            page["token"] = token

    async def _path(self, endpoint: str, ends: float, needed: bool = True) -> Any:
        """Where an endpoint is, below the base address."""
        paths = self._paths
        if paths is None:
            found = await self.metadata(timeout=_left(ends))
            paths = {}
            for name in _PATHS:
                url: Optional[str] = getattr(found, name)
                if url is not None and not url.startswith(f"{self.url}/"):
                    raise Network(f"The decision point names {url} as {name}, which is not below {self.url}.")
                paths[name] = None if url is None else url[len(self.url) :]
            self._paths = paths
        if needed and paths[endpoint] is None:
            raise NotFound(f"{self.url} names no {endpoint}: it does not offer that.")
        return paths[endpoint]

    def _decision_request(self, path: str, body: Union[Json, Dict[str, Any]], ends: float) -> Request:
        return Request(
            "POST",
            path,
            _left(ends),
            self._decision_attempt_timeout,
            self._decision_retries,
            0.05,
            json_bytes(body),
        )


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise Timeout("There was no decision in time.")
    return left


def _ended(outcomes: Sequence[Outcome], semantic: str) -> bool:
    """Whether the semantic ends with the last of these: a failure is a denial to it."""
    if semantic == "execute_all" or not outcomes:
        return False
    last = outcomes[-1]
    if isinstance(last.error, NotEvaluated):
        return True
    allowed = last.decision is not None and last.decision.allowed
    return allowed == (semantic == "permit_on_first_permit")
