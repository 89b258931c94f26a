"""Answers of the cloud other than records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, TypedDict


class State(TypedDict):
    """All records of the tenant at one revision."""

    tenant: str
    revision: str
    records: List[Dict[str, Any]]


class ChangeSetResult(TypedDict):
    revision: str
    added: int
    changed: int
    removed: int
    created: List[Dict[str, Any]]
    #: The secrets of new credentials, shown once; null in the answer to a repeated change-set.
    secrets: List[Dict[str, Any]]


class _WhoAmI(TypedDict):
    tenant: Dict[str, str]
    credential: Dict[str, str]
    scopes: List[str]


class Limits(TypedDict, total=False):
    """What a credential may write at most; what is absent does not limit."""

    stacks: List[str]
    applications: List[str]
    priority_max: int


class WhoAmI(_WhoAmI, total=False):
    #: Absent means unlimited.
    limits: Limits


class Tenant(TypedDict):
    id: str
    name: str
    created_at: str


class MadeTenant(Tenant):
    """A new tenant with the secret of its administrator, which is shown only once."""

    client_id: str
    client_secret: str


@dataclass(frozen=True)
class Bundle:
    """A policy bundle: a tar.gz archive, and its ETag, which `if_none_match` takes."""

    etag: Optional[str]
    content: bytes
