# Generated from _async/records.py by scripts/unasync.py. Do not edit.
"""Records, as the cloud keeps them."""

from __future__ import annotations

from typing import Any, Iterator, Callable, Generic, Mapping, Optional, TypeVar, Union, cast

from .. import records as kinds
from .._request import path_segment
from ..management import RotatedSecret

#: Sends a request with the client's credential and gives the JSON of the answer: method, path, then by name
#: `body`, `query`, `headers`, `harmless`, `timeout`, `request_id`, `route`, `past`.
Send = Callable[..., Any]

R = TypeVar("R")
N = TypeVar("N")
M = TypeVar("M")


def every_item(
    send: Send,
    path: str,
    query: Mapping[str, Any],
    timeout: Optional[float],
    request_id: Optional[str],
    past: bool = False,
    on_page: Optional[Callable[[Any], None]] = None,
) -> Iterator[Any]:
    """Walks pages by their cursors, as far as the loop goes on."""
    cursor: Optional[str] = None
    while True:
        page = send("GET", path, query={**query, "cursor": cursor}, timeout=timeout, request_id=request_id, past=past)
        if on_page is not None:
            on_page(page)
        for item in page["items"]:
            yield item
        cursor = page.get("next_cursor")
        if cursor is None:
            return


class RecordCollection(Generic[R, N, M]):
    """The records of one kind. A record is named by its id, or by its path: `billing/accountant`."""

    def __init__(self, send: Send, collection: str) -> None:
        self._send = send
        self._path = f"/v1/{collection}"
        self._route = f"/v1/{collection}/{{id}}"

    def list(
        self, *, limit: Optional[int] = None, timeout: Optional[float] = None, request_id: Optional[str] = None, **fields: Any
    ) -> Iterator[R]:
        """Every record whose fields are as given. `limit` is the size of a page, `timeout` the deadline of each."""
        return every_item(self._send, self._path, {**fields, "limit": limit}, timeout, request_id, past=True)

    def get(self, name: str, *, timeout: Optional[float] = None, request_id: Optional[str] = None) -> R:
        return cast(
            R, self._send("GET", self._item(name), route=self._route, timeout=timeout, request_id=request_id, past=True)
        )

    def create(
        self, record: N, *, stack: Optional[str] = None, timeout: Optional[float] = None, request_id: Optional[str] = None
    ) -> M:
        """A credential's secret is in this answer, and is never shown again.

        `stack`: the one that the change is made for; without it, ownership is not asked for. Limited credentials must
        name it. `update` and `delete` take it too.
        """
        answer = self._send(
            "POST", self._path, body=record, query={"stack": stack}, harmless=False, timeout=timeout, request_id=request_id
        )
        return cast(M, answer)

    def update(
        self,
        name: str,
        patch: Mapping[str, Any],
        *,
        if_match: Union[int, str, None] = None,
        stack: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> R:
        """A JSON merge patch (RFC 7396): None takes a field away, what is left out stays.

        `if_match`: only while the record's `revision` is this; else `Conflict` (`precondition_failed`).
        """
        headers = {"content-type": "application/merge-patch+json", **_match(if_match)}
        answer = self._send(
            "PATCH",
            self._item(name),
            route=self._route,
            body=patch,
            query={"stack": stack},
            headers=headers,
            harmless=False,
            timeout=timeout,
            request_id=request_id,
        )
        return cast(R, answer)

    def delete(
        self,
        name: str,
        *,
        if_match: Union[int, str, None] = None,
        stack: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> None:
        self._send(
            "DELETE",
            self._item(name),
            route=self._route,
            query={"stack": stack},
            headers=_match(if_match),
            harmless=False,
            timeout=timeout,
            request_id=request_id,
        )

    def rotate_secret(
        self,
        name: str,
        *,
        overlap: Optional[int] = None,
        if_match: Union[int, str, None] = None,
        stack: Optional[str] = None,
        timeout: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> RotatedSecret:
        """Gives a credential another secret. The one before ends now, or after `overlap` seconds."""
        answer = self._send(
            "POST",
            f"{self._item(name)}/secret",
            route=f"{self._route}/secret",
            body={} if overlap is None else {"overlap_seconds": overlap},
            query={"stack": stack},
            headers=_match(if_match),
            harmless=False,
            timeout=timeout,
            request_id=request_id,
        )
        return cast(RotatedSecret, answer)

    def _item(self, name: str) -> str:
        return f"{self._path}/{path_segment(name, 'a record')}"


def _match(if_match: Union[int, str, None]) -> Mapping[str, str]:
    if if_match is None:
        return {}
    return {"if-match": f'"{if_match}"' if isinstance(if_match, int) else if_match}


class Records:
    """The records of each kind."""

    def __init__(self, send: Send) -> None:
        self.applications: RecordCollection[
            kinds.Application, kinds.NewApplication, kinds.Application
        ] = RecordCollection(send, kinds.COLLECTIONS["application"])
        self.resource_types: RecordCollection[
            kinds.ResourceType, kinds.NewResourceType, kinds.ResourceType
        ] = RecordCollection(send, kinds.COLLECTIONS["resource_type"])
        self.resources: RecordCollection[kinds.Resource, kinds.NewResource, kinds.Resource] = RecordCollection(
            send, kinds.COLLECTIONS["resource"]
        )
        self.subject_types: RecordCollection[
            kinds.SubjectType, kinds.NewSubjectType, kinds.SubjectType
        ] = RecordCollection(send, kinds.COLLECTIONS["subject_type"])
        self.subjects: RecordCollection[kinds.Subject, kinds.NewSubject, kinds.Subject] = RecordCollection(
            send, kinds.COLLECTIONS["subject"]
        )
        self.context_attributes: RecordCollection[
            kinds.ContextAttribute, kinds.NewContextAttribute, kinds.ContextAttribute
        ] = RecordCollection(send, kinds.COLLECTIONS["context_attribute"])
        self.roles: RecordCollection[kinds.Role, kinds.NewRole, kinds.Role] = RecordCollection(
            send, kinds.COLLECTIONS["role"]
        )
        self.groups: RecordCollection[kinds.Group, kinds.NewGroup, kinds.Group] = RecordCollection(
            send, kinds.COLLECTIONS["group"]
        )
        self.policies: RecordCollection[kinds.Policy, kinds.NewPolicy, kinds.Policy] = RecordCollection(
            send, kinds.COLLECTIONS["policy"]
        )
        self.policy_assignments: RecordCollection[
            kinds.PolicyAssignment, kinds.NewPolicyAssignment, kinds.PolicyAssignment
        ] = RecordCollection(send, kinds.COLLECTIONS["policy_assignment"])
        self.role_assignments: RecordCollection[
            kinds.RoleAssignment, kinds.NewRoleAssignment, kinds.RoleAssignment
        ] = RecordCollection(send, kinds.COLLECTIONS["role_assignment"])
        self.group_memberships: RecordCollection[
            kinds.GroupMembership, kinds.NewGroupMembership, kinds.GroupMembership
        ] = RecordCollection(send, kinds.COLLECTIONS["group_membership"])
        self.access_rules: RecordCollection[
            kinds.AccessRule, kinds.NewAccessRule, kinds.AccessRule
        ] = RecordCollection(send, kinds.COLLECTIONS["access_rule"])
        self.directories: RecordCollection[
            kinds.Directory, kinds.NewDirectory, kinds.Directory
        ] = RecordCollection(send, kinds.COLLECTIONS["directory"])
        self.api_keys: RecordCollection[kinds.ApiKey, kinds.NewApiKey, kinds.MadeApiKey] = RecordCollection(
            send, kinds.COLLECTIONS["api_key"]
        )
        self.oauth_clients: RecordCollection[
            kinds.OauthClient, kinds.NewOauthClient, kinds.MadeOauthClient
        ] = RecordCollection(send, kinds.COLLECTIONS["oauth_client"])
