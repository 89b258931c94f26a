"""Calls of the cloud besides decisions and records."""

from __future__ import annotations

import math
import time
import uuid
from typing import Any, AsyncIterator, Callable, Dict, Iterable, List, Literal, Mapping, Optional, cast

from .._answers import Answer, json_of
from .._request import SUCCESS, Request, is_passing, json_bytes, path_segment
from .._telemetry import Spans
from ..errors import ServiceError
from ..management import (
    AccessRuleViolations,
    AdoptedRecords,
    AuditPage,
    Bundle,
    ChangeSetResult,
    ConsoleLink,
    DirectoryPlan,
    DirectoryStatus,
    DisabledCredential,
    Erasure,
    MadeTenant,
    RecordOrigin,
    ScimOperation,
    State,
    Tenant,
    WhoAmI,
)
from .records import AsyncRecords, every_item
from .sender import AsyncSender
from .waiting import pause

#: How long the last answer may take to come, once the time for waiting has run out, in seconds.
_GRACE = 10.0

#: The cloud is asked no more often than this who enforces a revision.
_ASKED_EVERY = 1.0


class AsyncManagement:
    """The calls of whoever manages a tenant. By default they may take 120 s in all, and 30 s for each attempt."""

    def __init__(self, sender: AsyncSender, spans: Spans, total: float, attempt: float, retries: int) -> None:
        self._sender = sender
        self._spans = spans
        self._total = total
        self._attempt = attempt
        self._retries = retries
        #: The records of each kind: `client.records.roles.list(application="billing")`.
        self.records = AsyncRecords(self._json)
        self.tenants = AsyncTenants(self)
        #: The directories that people come from.
        self.directories = AsyncDirectories(self)

    async def change_set(
        self,
        changes: Iterable[Mapping[str, Any]],
        *,
        base_revision: Optional[str] = None,
        stack: Optional[str] = None,
        take_ownership: Optional[bool] = None,
        exclusive: Optional[bool] = None,
        origins: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> ChangeSetResult:
        """Changes records, all or none, in one revision.

        The idempotency key names this wish: sent again with the same body it is done once, and answered as the first
        time. One is made where none is given, so that the call may be tried again. `origins` says where the records
        stand in Git: `{"repository": "https://…", "commit": "…", "places": {"tenant/roles.yaml": {"role/auditor": 14}}}`.
        """
        given = {
            "base_revision": base_revision,
            "stack": stack,
            "take_ownership": take_ownership,
            "exclusive": exclusive,
            "origins": origins,
        }
        body: Dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        body["changes"] = list(changes)
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        answer = await self._json(
            "POST", "/v1/changesets", body=body, headers=headers, writes=True, timeout=timeout, request_id=request_id
        )
        return cast(ChangeSetResult, answer)

    async def state(
        self, *, if_none_match: Optional[str] = None, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> Optional[State]:
        """All records of the tenant with its revision; None while that still is `if_none_match`."""
        answer = await self._conditional("/v1/state", if_none_match, {}, timeout, request_id, past=True)
        return None if answer.status == 304 else cast(State, json_of(answer, f"GET {self._sender.base}/v1/state"))

    async def bundle(
        self,
        *,
        if_none_match: Optional[str] = None,
        tenant: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Optional[Bundle]:
        """The policy bundle, as agents fetch it; None while its revision still is `if_none_match`."""
        answer = await self._conditional("/v1/policies/bundle", if_none_match, {"tenant": tenant}, timeout, request_id)
        return None if answer.status == 304 else Bundle(answer.headers.get("etag"), answer.body)

    async def whoami(self, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> WhoAmI:
        """Whom the credential stands for, and what it may do."""
        return cast(WhoAmI, await self._json("GET", "/v1/whoami", timeout=timeout, request_id=request_id))

    def audit(
        self,
        *,
        since: Optional[str] = None,
        until: Optional[str] = None,
        actor: Optional[str] = None,
        record: Optional[str] = None,
        subject: Optional[str] = None,
        on_page: Optional[Callable[[AuditPage], None]] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> AsyncIterator[Dict[str, Any]]:
        """The commits of the tenant, the latest first, fetched page by page as the loop goes on.

        `since` and `until` are times (RFC 3339, or a date: its beginning in UTC). `actor` is a credential, by its name or id;
        `record` the address of a record that was changed; `subject`, `user/alice`, one that was changed or given something.
        `on_page` is told of each page: with `record` or `subject`, `searched_since` names the oldest revision that history holds.
        """
        query = {"actor": actor, "record": record, "since": since, "subject": subject, "until": until, "limit": limit}
        return every_item(self._json, "/v1/audit", query, timeout, request_id, on_page=on_page)

    async def origins(
        self, addresses: Iterable[str], *, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> List[RecordOrigin]:
        """Return the places of records in Git, of those whose place is known. At most 1,000 addresses."""
        body = {"addresses": list(addresses)}
        answer = await self._json("POST", "/v1/record-origins", body=body, timeout=timeout, request_id=request_id)
        return cast(List[RecordOrigin], answer["origins"])

    async def console_link(self, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> ConsoleLink:
        """A link that signs the holder of the credential in to the console, once and within 60 seconds."""
        return cast(
            ConsoleLink, await self._json("POST", "/v1/console-links", harmless=False, timeout=timeout, request_id=request_id)
        )

    async def access_rule_violations(
        self, *, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> AccessRuleViolations:
        """Return the violations of access rules as the records are now. They stand, and block no change."""
        return cast(
            AccessRuleViolations, await self._json("GET", "/v1/access-rule-violations", timeout=timeout, request_id=request_id)
        )

    async def agent_status(self, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> Dict[str, Any]:
        """The state of an agent: which revision it serves, how old that is, and what went wrong last. Agents only."""
        return cast(Dict[str, Any], await self._json("GET", "/v1/status", timeout=timeout, request_id=request_id))

    async def agents(
        self,
        *,
        enforces: Optional[str] = None,
        wait: Optional[int] = None,
        tenant: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Dict[str, Any]:
        """The agents of the tenant, as they report themselves: those first that do not enforce the revision.

        That is the newest one, unless `enforces` names another. With `wait`, the answer comes once all enforce it, or
        after so many seconds: at most two thirds of what an attempt may take, which is 20 unless the client or the call
        says otherwise. `tenant` is for operators.
        """
        longest = min(self._attempt, self._total if timeout is None else timeout)
        held = None if wait is None else min(wait, int(longest * 2 / 3))
        query = {"enforces": enforces, "tenant": tenant, "wait": held}
        return cast(Dict[str, Any], await self._json("GET", "/v1/agents", query=query, timeout=timeout, request_id=request_id))

    async def enforced(
        self, revision: str, *, timeout: float, tenant: Optional[str] = None, request_id: Optional[str] = None
    ) -> Dict[str, Any]:
        """Waits until every agent of the tenant enforces the revision, and at most for `timeout`: `enforced` says which.

        The answer is that of `agents`. An agent that is silent counts once its own maximum age has run out. Nothing is known to be
        enforced as long as somebody publishes bundles, whose readers nobody knows. A cloud that is away for a while, or busy, is
        asked again until then.
        """
        ends = time.monotonic() + timeout
        while True:
            asked_at = time.monotonic()
            left = max(0.0, ends - asked_at)
            try:
                found = await self.agents(
                    enforces=revision, wait=math.ceil(left), tenant=tenant, timeout=left + _GRACE, request_id=request_id
                )
                # Waiting does not complete a list, and makes no publisher's readers known.
                known = found["complete"] and found["enforcing"] + found["expired"] < found["total"]
                if found["enforced"] or not known or time.monotonic() >= ends:
                    return found
            except ServiceError as error:
                if not is_passing(error) or time.monotonic() >= ends:
                    raise
            await pause(max(0.0, min(asked_at + _ASKED_EVERY, ends) - time.monotonic()))

    async def retire_agent(
        self, agent_id: str, *, tenant: Optional[str] = None, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> int:
        """Takes an agent that is gone for good off the list, for operators. Returns how many entries it had."""
        path = f"/v1/agents/{path_segment(agent_id, 'an agent')}"
        answer = await self._json(
            "DELETE",
            path,
            query={"tenant": tenant},
            route="/v1/agents/{id}",
            writes=True,
            timeout=timeout,
            request_id=request_id,
        )
        return cast(int, answer["retired"])

    async def retire_agents(
        self,
        credential: str,
        *,
        tenant: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> int:
        """The same for all agents that have reported by a credential: its id, or its name if that is enough."""
        query = {"credential": credential, "tenant": tenant}
        answer = await self._json("DELETE", "/v1/agents", query=query, writes=True, timeout=timeout, request_id=request_id)
        return cast(int, answer["retired"])

    async def rotate_bundle_keys(
        self, *, revoke: bool = False, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> Dict[str, Any]:
        """Makes the cloud sign with new keys, for operators; with `revoke`, older keys and all access tokens are worthless."""
        body = {"revoke": True} if revoke else {}
        answer = await self._json("POST", "/v1/bundle-keys", body=body, harmless=False, timeout=timeout, request_id=request_id)
        return cast(Dict[str, Any], answer)

    async def _json(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        harmless: bool = True,
        writes: bool = False,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
        route: Optional[str] = None,
        past: bool = False,
    ) -> Any:
        """The JSON of the answer. `route` stands in spans for a path that may name a person."""
        request = self._request(method, path, query, headers, timeout)
        request.body = None if body is None else json_bytes(body)
        request.harmless = harmless
        request.request_id = request_id
        request.past = past
        request.writes = writes or not harmless
        with self._spans.span(f"{method} {route or path}", request):
            answer = await self._sender.send(request)
        return None if answer.status == 204 else json_of(answer, f"{method} {self._sender.base}{path}")

    async def _conditional(
        self,
        path: str,
        if_none_match: Optional[str],
        query: Mapping[str, Any],
        timeout: Optional[float],
        request_id: Optional[str],
        past: bool = False,
    ) -> Answer:
        headers = {}
        if if_none_match is not None:
            quoted = if_none_match.startswith(('"', 'W/"'))
            headers["if-none-match"] = if_none_match if quoted else f'"{if_none_match}"'
        request = self._request("GET", path, query, headers, timeout)
        request.answered_by = (200, 304)
        request.past = past
        request.request_id = request_id
        with self._spans.span(f"GET {path}", request):
            return await self._sender.send(request)

    def _request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        headers: Optional[Mapping[str, str]],
        timeout: Optional[float],
    ) -> Request:
        total = self._total if timeout is None else timeout
        return Request(
            method,
            path,
            total,
            self._attempt,
            self._retries,
            0.2,
            headers=headers or {},
            query=query or {},
            answered_by=SUCCESS,
        )


_TENANT = "/v1/tenants/{name}"


class AsyncTenants:
    """The tenants, for operators."""

    def __init__(self, management: AsyncManagement) -> None:
        self._send = management._json

    def list(
        self, *, limit: Optional[int] = None, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> AsyncIterator[Tenant]:
        return every_item(self._send, "/v1/tenants", {"limit": limit}, timeout, request_id)

    async def get(self, name: str, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> Tenant:
        return cast(Tenant, await self._send("GET", _tenant(name), route=_TENANT, timeout=timeout, request_id=request_id))

    async def create(self, name: str, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> MadeTenant:
        """Makes a tenant; only this answer holds the secret of its first administrator."""
        answer = await self._send(
            "POST", "/v1/tenants", body={"name": name}, harmless=False, timeout=timeout, request_id=request_id
        )
        return cast(MadeTenant, answer)

    async def erase(
        self,
        name: str,
        subject: str,
        properties: Optional[Iterable[str]] = None,
        *,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Erasure:
        """Erases properties of a subject (all of them and its name, unless named) from the history of the tenant.

        The answer says how many past versions of the subject lost something, and which of the named properties none has,
        or none any more.
        """
        body: Dict[str, Any] = {"subject": subject}
        if properties is not None:
            body["properties"] = list(properties)
        answer = await self._send(
            "POST",
            f"{_tenant(name)}/erasures",
            route=f"{_TENANT}/erasures",
            body=body,
            writes=True,
            timeout=timeout,
            request_id=request_id,
        )
        return cast(Erasure, answer)

    async def disabled_credentials(
        self, name: str, *, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> List[DisabledCredential]:
        """The credentials of the tenant that are off since a restore."""
        path, route = f"{_tenant(name)}/disabled-credentials", f"{_TENANT}/disabled-credentials"
        return cast(
            List[DisabledCredential],
            (await self._send("GET", path, route=route, timeout=timeout, request_id=request_id))["items"],
        )

    async def enable_credentials(
        self,
        name: str,
        credentials: Optional[Iterable[str]] = None,
        *,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> List[str]:
        """Turns credentials on that are off since a restore: those with these addresses, or all. Returns the addresses."""
        path, route = f"{_tenant(name)}/enabled-credentials", f"{_TENANT}/enabled-credentials"
        body = {} if credentials is None else {"credentials": list(credentials)}
        answer = await self._send("POST", path, route=route, body=body, harmless=False, timeout=timeout, request_id=request_id)
        return cast(List[str], answer["enabled"])

    async def delete_disabled_credentials(
        self, name: str, credentials: Iterable[str], *, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> str:
        """Deletes credentials that are off since a restore, by their addresses. Returns the revision without them."""
        path, route = f"{_tenant(name)}/deleted-credentials", f"{_TENANT}/deleted-credentials"
        body = {"credentials": list(credentials)}
        answer = await self._send("POST", path, route=route, body=body, harmless=False, timeout=timeout, request_id=request_id)
        return cast(str, answer["revision"])

    async def delete(self, name: str, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> None:
        """Removes the tenant with all its records."""
        await self._send("DELETE", _tenant(name), route=_TENANT, harmless=False, timeout=timeout, request_id=request_id)

    def audit(
        self, *, limit: Optional[int] = None, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> AsyncIterator[Dict[str, Any]]:
        """Who made and removed tenants, the latest first, including tenants that no longer exist."""
        return every_item(self._send, "/v1/audit/tenants", {"limit": limit}, timeout, request_id)


def _tenant(name: str) -> str:
    return f"/v1/tenants/{path_segment(name, 'a tenant')}"


_DIRECTORY = "/v1/directories/{id}"


class AsyncDirectories:
    """The directories of the tenant: what they hold, and what their brakes hold."""

    def __init__(self, management: AsyncManagement) -> None:
        self._send = management._json

    async def status(
        self, name: str, *, access: bool = False, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> DirectoryStatus:
        """The status of a directory; with `access`, also the effect on access of letting through what is held."""
        path, route = f"{_directory(name)}/status", f"{_DIRECTORY}/status"
        query = {"access": "true"} if access else {}
        answer = await self._send("GET", path, route=route, query=query, timeout=timeout, request_id=request_id)
        return cast(DirectoryStatus, answer)

    async def decide(
        self,
        name: str,
        decision: Literal["release", "discard"],
        *,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> int:
        """Lets through what the brake holds now, once the directory asks for it again, or discards it. Returns how much it is."""
        path, route = f"{_directory(name)}/held-changes", f"{_DIRECTORY}/held-changes"
        body = {"decision": decision}
        answer = await self._send("POST", path, route=route, body=body, harmless=False, timeout=timeout, request_id=request_id)
        return cast(int, answer["decided"])

    async def plan(
        self,
        name: str,
        operations: Iterable[ScimOperation],
        *,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> DirectoryPlan:
        """The effect of requests of SCIM on access and access rules, without sending them."""
        path, route = f"{_directory(name)}/plans", f"{_DIRECTORY}/plans"
        body = {"operations": list(operations)}
        answer = await self._send("POST", path, route=route, body=body, timeout=timeout, request_id=request_id)
        return cast(DirectoryPlan, answer)

    async def adopt(
        self,
        name: str,
        addresses: Iterable[str],
        *,
        base_revision: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> AdoptedRecords:
        """Hands subjects, groups and memberships of other owners over to a directory.

        `base_revision` is the one that they were looked at; if the tenant has another one, the change is refused.
        """
        path, route = f"{_directory(name)}/adopted-records", f"{_DIRECTORY}/adopted-records"
        body: Dict[str, Any] = {"addresses": list(addresses)}
        if base_revision is not None:
            body["base_revision"] = base_revision
        answer = await self._send("POST", path, route=route, body=body, harmless=False, timeout=timeout, request_id=request_id)
        return cast(AdoptedRecords, answer)

    async def scim(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> Any:
        """A request of SCIM 2.0, for whoever holds the key of a directory.

        `path` is `Users` or `Users/ID`, or the same of `Groups`. The answer is its JSON, or None where it has none.
        """
        for segment in path.split("/"):
            path_segment(segment, "a resource of SCIM")
        collection, _, one = path.partition("/")
        route = f"/scim/v2/{collection}" + ("/{id}" if one else "")
        return await self._send(
            method,
            f"/scim/v2/{path}",
            route=route,
            query=query,
            body=body,
            writes=method != "GET",
            timeout=timeout,
            request_id=request_id,
        )


def _directory(name: str) -> str:
    return f"/v1/directories/{path_segment(name, 'a directory')}"
