# Generated from _async/client.py by scripts/unasync.py. Do not edit.
"""The client."""

from __future__ import annotations

import ssl
import time
from types import TracebackType
from typing import (
    Any,
    Iterator,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Tuple,
    Type,
    TypeVar,
)

from .._answers import action_of, entity_of
from .._authorization import bearer
from .._newest_revision import NewestRevision
from .._own_headers import callers_headers, max_age_header
from .._route import address_of, route_of
from .._telemetry import Spans
from .._usable_options import demand_usable
from ..decision import Decision, Entity, FoundAction, LeftOut, Metadata, Outcome, denied_because
from ..errors import InvalidConfig, InvalidRequest, ServiceError
from ..filters import Filter
from ..questions import (
    ActionLike,
    Json,
    Question,
    QuestionLike,
    ResourceLike,
    SubjectLike,
    TypeLike,
    body_of,
    filter_body,
    type_body,
)
from .batcher import Batcher
from .endpoints import Endpoints
from .management import Management
from .sender import ApiKey, Authorization, Sender
from .token_source import TokenSource
from .transport import Transport, HttpClientTransport
from .waiting import Tasks, asked

T = TypeVar("T")


class Client(Management):
    """Asks a decision point: the cloud, an agent, or any other of AuthZEN 1.0.

    A question is allowed, denied, or could not be decided. The first two are a `Decision`, which counts in a condition as
    what was decided; the third is a raised `ServiceError`. `or_deny=True` denies it instead, for that call.

    `credentials` are given as `api_key`, or as `client_id` and `client_secret`; an agent needs none. Times are in seconds.
    `timeout` of a call is its total deadline. `batch_window` joins decisions that are asked within so many seconds into
    one request. `discover` asks the decision point first where its endpoints are. `reads_own_writes`: reads
    and decisions carry the newest revision that the client has seen, so that none is answered from before it; a decision
    point that is behind then waits for it or refuses (`behind_revision`). `max_age`: the greatest age, in whole seconds, of the
    knowledge that may answer reads and decisions; who knows only what is older refuses (`too_old`). `at`: decisions, searches,
    `state` and `records` answer as of a past revision (`42.9f86d081884c7d65` or `42`) or time (RFC 3339, or a date); such a client
    writes nothing. `personal_data_in_spans` lets spans of
    OpenTelemetry name subject and resource.

    `url` may name a unix socket: `unix:///run/service/agent.sock`. `ca` has the certificate authorities that are trusted instead of
    the system's: the path of a PEM file, or its text. `proxy`, `http://proxy.example.com:3128`, leads to every address but
    those of one's own machine. `headers` go with every request; those of the client itself are refused, `Authorization` among them.
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
        reads_own_writes: bool = True,
        max_age: Optional[int] = None,
        at: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        ca: Optional[str] = None,
        proxy: Optional[str] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        user_agent: str = "authz-service-python",
        personal_data_in_spans: bool = False,
        transport: Optional[Transport] = None,
    ) -> None:
        spans = {
            "decision_timeout": decision_timeout,
            "decision_attempt_timeout": decision_attempt_timeout,
            "timeout": timeout,
            "attempt_timeout": attempt_timeout,
            "batch_window": batch_window,
        }
        demand_usable(spans, {"retries": (retries, 0), "batch_max": (batch_max, 1)}, user_agent)
        self.url = address_of(url)
        sent = callers_headers(headers)
        hidden: Tuple[str, ...] = ()
        if transport is None:
            route = route_of(self.url, ca, ssl_context, proxy)
            transport, hidden = HttpClientTransport(route), route.secrets
        elif ca is not None or proxy is not None:
            raise InvalidConfig("A transport of your own makes its own connections: leave out ca and proxy.")
        self._transport = transport
        self._tasks = Tasks()
        authorization: Optional[Authorization] = None
        if api_key is not None:
            if client_id is not None or client_secret is not None:
                raise InvalidConfig("Give either api_key, or client_id and client_secret.")
            authorization = ApiKey(bearer(api_key, "The API key"))
        elif client_id is not None or client_secret is not None:
            authorization = TokenSource(
                transport,
                self.url,
                client_id or "",
                client_secret or "",
                user_agent,
                sent,
                3 if retries is None else retries,
                self._tasks,
                hidden,
            )
        self._newest = NewestRevision() if reads_own_writes and at is None else None
        sender = Sender(
            transport,
            self.url,
            authorization,
            user_agent,
            sent,
            hidden,
            newest=self._newest,
            max_age=max_age_header(max_age),
            at=at,
        )
        super().__init__(sender, Spans(personal_data_in_spans), timeout, attempt_timeout, 3 if retries is None else retries)
        self._decision_timeout = decision_timeout
        self._batch_max = batch_max
        self._endpoints = Endpoints(
            sender, self._spans, self._request, decision_attempt_timeout, 2 if retries is None else retries, discover
        )
        self._batcher = (
            None
            if batch_window is None
            else Batcher(self._endpoints, batch_window, batch_max, self._tasks)
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    @property
    def revision(self) -> Optional[str]:
        """The newest revision that the client has seen; None before the first one, and where it carries none."""
        return None if self._newest is None else self._newest.token

    def not_before(self, revision: str) -> None:
        """From now on, nothing is answered from before this revision, such as that of a commit by another client: one that
        wrote at the cloud, say, where this one asks an agent. Raises `InvalidRequest` for what is no revision."""
        if self._newest is not None:
            self._newest.told(revision)

    def close(self) -> None:
        """Gives up what is under way in the background, and closes the connections."""
        self._tasks.end()
        self._transport.close()

    @asked
    def is_allowed(
        self,
        subject: SubjectLike,
        action: ActionLike,
        resource: ResourceLike,
        context: Optional[Json] = None,
        *,
        or_deny: bool = False,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> bool:
        """Whether the subject may do the action to the resource.

        Raises `ServiceError` where that could not be decided; with `or_deny` that is a denial.
        """
        question = Question(subject, action, resource, context)
        return (self.ask(question, or_deny=or_deny, timeout=timeout, request_id=request_id)).allowed

    @asked
    def decide(
        self,
        subject: SubjectLike,
        action: ActionLike,
        resource: ResourceLike,
        context: Optional[Json] = None,
        *,
        explain: bool = False,
        or_deny: bool = False,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Decision:
        """The decision with its reason: may the subject do the action to the resource?

        Raises `ServiceError` where that could not be decided; with `or_deny` that is a denial, whose `decided` is false.
        """
        return self.ask(
            Question(subject, action, resource, context),
            explain=explain,
            or_deny=or_deny,
            timeout=timeout,
            request_id=request_id,
        )

    @asked
    def ask(
        self,
        question: QuestionLike,
        *,
        explain: bool = False,
        or_deny: bool = False,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Decision:
        """The same as `decide`, for a `Question`. `request_id` is sent as `X-Request-ID`, which the service echoes and logs."""
        ends = time.monotonic() + (self._decision_timeout if timeout is None else timeout)
        body = body_of(question)
        try:
            if self._batcher is None or not self._batcher.joins or request_id is not None:
                return self._endpoints.one(body, explain, ends, request_id)
            return self._batcher.ask(body, explain, ends)
        except ServiceError as error:
            if or_deny:
                return denied_because(error)
            raise

    def decide_all(
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
        request_id: Optional[str] = None,
    ) -> List[Outcome]:
        """Many questions at once, decided at one revision: an `Outcome` for each, in order.

        What is given beside `questions` stands in for those that lack it. `semantic` says how far to go: `execute_all`,
        `deny_on_first_deny` or `permit_on_first_permit`; what comes after the end is `NotEvaluated`. Raises `ServiceError`
        where nothing could be decided. `reasons` asks for reason, policy and access path of each. More questions than
        `batch_max` go in several requests; a decision point without batches is asked one after the other.
        """
        ends = time.monotonic() + (self._decision_timeout if timeout is None else timeout)
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
        outcomes = self._endpoints.all(shared, bodies, options, ends, self._batch_max, or_deny, request_id)
        if or_deny:
            return [Outcome(denied_because(one.error)) if one.error is not None else one for one in outcomes]
        return outcomes

    def filter(
        self,
        items: Iterable[T],
        resource: Callable[[T], ResourceLike],
        *,
        subject: SubjectLike,
        action: ActionLike,
        context: Optional[Json] = None,
        or_deny: bool = False,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> List[T]:
        """Keeps the items on whose resource the subject may do the action; asks in batches.

        Raises the error of the first item that could not be decided; `or_deny` leaves such items out.
        """
        kept = list(items)
        outcomes = self.decide_all(
            [Question(resource=resource(item)) for item in kept],
            subject=subject,
            action=action,
            context=context,
            or_deny=or_deny,
            timeout=timeout,
            request_id=request_id,
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
        on_left_out: Optional[Callable[[LeftOut], None]] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Iterator[Entity]:
        """The subjects of a type that may do this, page by page as the loop goes on.

        `limit` is the most of a page, `timeout` the deadline of each. `on_left_out` is told of each page how many were left out
        because the question says too little, if the decision point says so. All pages are of one revision: where the tenant
        moves on meanwhile, `InvalidRequest` (`invalid_cursor`).
        """
        body = {**body_of(Question(None, action, resource, context)), "subject": type_body(subject)}
        return self._endpoints.search("search_subject_endpoint", body, entity_of, limit, timeout, request_id, on_left_out)

    def search_resources(
        self,
        subject: SubjectLike,
        action: ActionLike,
        resource: TypeLike,
        context: Optional[Json] = None,
        *,
        limit: Optional[int] = None,
        on_left_out: Optional[Callable[[LeftOut], None]] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Iterator[Entity]:
        """The resources of a type on which the subject may do this."""
        body = {**body_of(Question(subject, action, None, context)), "resource": type_body(resource)}
        return self._endpoints.search("search_resource_endpoint", body, entity_of, limit, timeout, request_id, on_left_out)

    def search_actions(
        self,
        subject: SubjectLike,
        resource: ResourceLike,
        context: Optional[Json] = None,
        *,
        limit: Optional[int] = None,
        on_left_out: Optional[Callable[[LeftOut], None]] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Iterator[FoundAction]:
        """Search what the subject may do to the resource."""
        body = body_of(Question(subject, None, resource, context))
        return self._endpoints.search("search_action_endpoint", body, action_of, limit, timeout, request_id, on_left_out)

    def filter_rows(
        self,
        subject: SubjectLike,
        action: ActionLike,
        resource: TypeLike,
        context: Optional[Json] = None,
        *,
        explain: bool = False,
        takes_partial: bool = False,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Filter:
        """The rows of a type with which the subject may do this, as a condition on their columns: `filter_sql` says it in SQL.

        Properties of the resource count for all rows. Raises `InvalidRequest` where columns cannot say it exactly
        (`not_filterable`) and for lists that are too long (`filter_too_large`). `takes_partial` takes an upper bound instead,
        which is then `partial`: ask a decision for each of its rows.
        """
        ends = time.monotonic() + (self._decision_timeout if timeout is None else timeout)
        body = filter_body(subject, action, resource, context, explain, takes_partial)
        return self._endpoints.filter_rows(body, takes_partial, ends, request_id)

    def filter_parts(
        self,
        subject: SubjectLike,
        action: ActionLike,
        resource: TypeLike,
        context: Optional[Json] = None,
        *,
        explain: bool = False,
        takes_partial: bool = False,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Iterator[Filter]:
        """The same in parts, of which each is a filter for other rows and no list is longer than `limit`.

        The limit is 10,000 unless given. The parts together are the answer; all are of one revision, and `timeout` is that of
        each.
        """
        total = self._decision_timeout if timeout is None else timeout
        body = filter_body(subject, action, resource, context, explain, takes_partial)
        return self._endpoints.filter_parts(body, takes_partial, limit, total, request_id)

    def metadata(self, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> Metadata:
        """Return the decision point's endpoints. Raises `Network` for one that is not of its origin."""
        return self._endpoints.metadata(timeout, request_id)
