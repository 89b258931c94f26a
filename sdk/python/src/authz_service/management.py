"""Answers of the cloud other than records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict


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
    """The widest that a credential may write; what is absent does not limit."""

    stacks: List[str]
    applications: List[str]
    priority_max: int


class WhoAmI(_WhoAmI, total=False):
    #: Absent means unlimited.
    limits: Limits


class _RecordOrigin(TypedDict):
    address: str


class RecordOrigin(_RecordOrigin, total=False):
    """The place of a record in Git."""

    repository: str
    commit: str
    uncommitted: bool
    path: str
    line: int
    #: The page that shows it.
    link: str


class ConsoleLink(TypedDict):
    url: str
    expires_at: str


class AccessRuleViolation(TypedDict):
    """A violation of an access rule that stands."""

    #: The address of the rule.
    rule: str
    form: str
    mode: str
    detail: str
    #: A request that breaks the rule, and its instant; of `separate` one for each of two actions.
    witness: List[Dict[str, Any]]
    #: False where it cannot be said whether a request breaks the rule.
    proven: bool


class AccessRuleViolations(TypedDict):
    revision: str
    violations: List[AccessRuleViolation]
    #: Whether a rule has more violations than are listed.
    more: bool


class _AuditPage(TypedDict):
    items: List[Dict[str, Any]]


class AuditPage(_AuditPage, total=False):
    next_cursor: str
    #: With `record` or `subject`: the oldest revision that history holds. Later commits were all searched.
    searched_since: Dict[str, str]


class RotatedSecret(TypedDict, total=False):
    """The new secret of a credential, shown once: `secret` of an API key, the others of an OAuth client."""

    secret: str
    client_id: str
    client_secret: str
    #: Until when the secret before is good; absent if it has ended.
    former_until: str


class Erasure(TypedDict):
    #: How many past versions of the subject lost something.
    versions: int
    #: The named properties that no past version has, or none any more.
    absent: List[str]


class _DisabledCredential(TypedDict):
    #: `sign-in` stands for all sessions of the console.
    address: str
    kind: str
    id: str
    name: str
    scopes: List[str]
    off_since: str


class DisabledCredential(_DisabledCredential, total=False):
    """A credential that a restore has turned off."""

    expires_at: str


class HeldChange(TypedDict):
    """A change that the brake of a directory holds, or has held."""

    id: str
    #: The field of the directory that holds it.
    braked: str
    detail: str
    #: The addresses of the first 10 records that it is about.
    records: List[str]
    #: `held`, `released` or `discarded`.
    state: str
    first_at: str
    last_at: str


class _DirectoryStatus(TypedDict):
    name: str
    subjects: int
    groups: int
    memberships: int
    #: The losses by the directory in the last hour: people, renamed, memberships, groups, suspended.
    taken_away: Dict[str, int]
    held_count: int
    #: At most 100: what is held, the oldest first, and then what was decided on in the last 24 hours.
    held: List[HeldChange]


class DirectoryStatus(_DirectoryStatus, total=False):
    #: When a key of the directory was last used; absent if none ever was.
    last_sync: str
    #: The effect on access of letting all of it through, if it was asked for.
    access: Dict[str, Any]


class _ScimOperation(TypedDict):
    method: Literal["POST", "PUT", "DELETE"]
    #: `/Users`, `/Groups`, or one of them with an id.
    path: str


class ScimOperation(_ScimOperation, total=False):
    """A request of SCIM in the form of a bulk request (RFC 7644 section 3.7)."""

    #: The name of what it makes: another operation has `bulkId:NAME` as the id of a member.
    bulkId: str
    data: Mapping[str, Any]


class DirectoryPlan(TypedDict):
    """The effect of requests of SCIM that nobody has sent yet."""

    base_revision: str
    #: The operations that the mapping would refuse or the brake hold now, by their positions: operation and detail.
    refused: List[Dict[str, Any]]
    #: The access rules that the others would break together: rule, mode and detail.
    violations: List[Dict[str, Any]]
    #: The effect of the others on access, or why that is not known.
    access: Dict[str, Any]


class AdoptedRecords(TypedDict):
    """Records that now belong to a directory: the address of each, and the owner that it was taken from."""

    revision: str
    adopted: List[Dict[str, str]]


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
