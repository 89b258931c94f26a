"""A decision point in the process of a test: a table of answers, and a record of what was asked."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._answers import Answer
from ._async.client import AsyncClient
from ._request import UNCLEAR, TransportFault
from ._sync.client import Client
from .questions import ActionLike, Json, Question, ResourceLike, SubjectLike, body_of

_Reply = Union[bool, Tuple[int, str]]


class FakeDecisionPoint:
    """Answers questions from a table whose last fitting row wins, and denies what no row fits.

        pdp = FakeDecisionPoint()
        pdp.allow(Subject("user", "alice"), "read")
        app = make_app(pdp.client())
        ...
        assert pdp.asked[-1]["action"] == {"name": "read"}

    Searches find what the rows name. What is left out of a row fits everything; a part that is given fits a question which has at least its members.
    """

    def __init__(self) -> None:
        #: The questions, in the order in which they came.
        self.asked: List[Json] = []
        self._rows: List[Tuple[Json, _Reply]] = []

    def allow(
        self,
        subject: Optional[SubjectLike] = None,
        action: Optional[ActionLike] = None,
        resource: Optional[ResourceLike] = None,
    ) -> None:
        self._rows.append((body_of(Question(subject, action, resource)), True))

    def deny(
        self,
        subject: Optional[SubjectLike] = None,
        action: Optional[ActionLike] = None,
        resource: Optional[ResourceLike] = None,
    ) -> None:
        self._rows.append((body_of(Question(subject, action, resource)), False))

    def fail(
        self,
        subject: Optional[SubjectLike] = None,
        action: Optional[ActionLike] = None,
        resource: Optional[ResourceLike] = None,
        *,
        code: str = "evaluation_failed",
        status: int = 500,
    ) -> None:
        """Questions that this fits cannot be decided. `network` and `timeout` fail as if nobody answered."""
        self._rows.append((body_of(Question(subject, action, resource)), (status, code)))

    def client(self, **options: Any) -> Client:
        """A client that asks this decision point, without a socket. Options are those of `Client`."""
        return Client("http://fake.invalid", transport=_Transport(self), **_options(options))

    def async_client(self, **options: Any) -> AsyncClient:
        """An asyncio client that asks this decision point. It does not need h11."""
        return AsyncClient("http://fake.invalid", transport=_AsyncTransport(self), **_options(options))

    def answer(self, url: str, body: Optional[bytes]) -> Answer:
        request: Dict[str, Any] = json.loads(body or b"{}")
        if url.endswith("/access/v1/evaluation"):
            return self._one(request)
        if url.endswith("/access/v1/evaluations"):
            shared = {name: request[name] for name in ("subject", "action", "resource", "context") if name in request}
            semantic = request.get("options", {}).get("evaluations_semantic", "execute_all")
            items: List[Any] = []
            for item in request["evaluations"]:
                items.append(self._item({**shared, **item}))
                if semantic != "execute_all" and items[-1]["decision"] == (semantic == "permit_on_first_permit"):
                    break
            return _json(200, {"evaluations": items})
        _, _, wanted = url.rpartition("/access/v1/search/")
        if wanted in ("subject", "resource", "action"):
            return self._found(wanted, request)
        return _problem(404, "not_found", "The fake decision point answers decisions and searches alone.")

    def _found(self, wanted: str, question: Dict[str, Any]) -> Answer:
        """All of what the rows name in that place that is allowed, on one page."""
        self.asked.append(question)
        named = "name" if wanted == "action" else "id"
        results: List[Json] = []
        for row, _ in self._rows:
            name = row.get(wanted, {}).get(named)
            entity = {**row.get(wanted, {}), **question.get(wanted, {}), named: name}
            found = {"name": name} if wanted == "action" else {"type": entity.get("type"), "id": name}
            if name is not None and found not in results and self._looked_up({**question, wanted: entity}) is True:
                results.append(found)
        return _json(200, {"results": results})

    def _one(self, question: Json) -> Answer:
        reply = self._reply(question)
        if isinstance(reply, bool):
            return _json(200, {"decision": reply, "context": {"reason": "The table of the test says so."}})
        status, code = reply
        if code in ("network", "timeout"):
            raise TransportFault("the table of the test says so", UNCLEAR, timed_out=code == "timeout")
        return _problem(status, code, "The table of the test says so.")

    def _item(self, question: Json) -> Dict[str, Any]:
        reply = self._reply(question)
        if isinstance(reply, bool):
            return {"decision": reply, "context": {"reason": "The table of the test says so."}}
        status, code = reply
        return {"decision": False, "context": {"error": {"status": status, "code": code, "message": "So says the test."}}}

    def _reply(self, question: Json) -> _Reply:
        self.asked.append(question)
        return self._looked_up(question)

    def _looked_up(self, question: Json) -> _Reply:
        for row, reply in reversed(self._rows):
            if all(_fits(part, question.get(name)) for name, part in row.items()):
                return reply
        return False


class _Transport:
    def __init__(self, pdp: FakeDecisionPoint) -> None:
        self._pdp = pdp

    def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        return self._pdp.answer(url, body)

    def close(self) -> None:
        pass


class _AsyncTransport:
    def __init__(self, pdp: FakeDecisionPoint) -> None:
        self._pdp = pdp

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        return self._pdp.answer(url, body)

    async def close(self) -> None:
        pass


def _options(given: Dict[str, Any]) -> Dict[str, Any]:
    return {"retries": 0, **given}


def _fits(part: Mapping[str, Any], asked: Any) -> bool:
    return isinstance(asked, dict) and all(name in asked and asked[name] == value for name, value in part.items())


def _json(status: int, body: Any) -> Answer:
    return Answer(status, {"content-type": "application/json"}, json.dumps(body).encode())


def _problem(status: int, code: str, detail: str) -> Answer:
    return _json(status, {"code": code, "detail": detail})
