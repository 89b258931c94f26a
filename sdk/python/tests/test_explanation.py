"""Explanations of decisions."""

from __future__ import annotations

from authz_service import Clause
from authz_service._answers import decision_of

CANDIDATE = {
    "policy": "policy/p",
    "policy_id": "id-1",
    "effect": "ALLOW",
    "priority": 0,
    "access_path": "direct",
    "through": ["subject/user/alice"],
    "outcome": "does_not_apply",
    "why": "its condition is false",
}
CLAUSES = [
    {"clause": "context.n < 3", "outcome": "false", "values": {"context.n": "4"}},
    {"clause": "context.mfa", "outcome": "absent", "why": "context.mfa"},
]


def test_clauses_are_in_the_candidates_that_have_some() -> None:
    candidates = [{**CANDIDATE, "clauses": CLAUSES, "clauses_left_out": 2}, CANDIDATE]
    body = {"decision": False, "context": {"explanation": {"candidates": candidates}}}
    decision = decision_of(body, "http://127.0.0.1", None)
    assert decision.explanation is not None
    first, second = decision.explanation
    assert first.clauses == (
        Clause("context.n < 3", "false", None, {"context.n": "4"}),
        Clause("context.mfa", "absent", "context.mfa"),
    )
    assert (first.clauses_left_out, second.clauses, second.clauses_left_out) == (2, (), 0)
