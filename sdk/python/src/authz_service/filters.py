"""Filters: the rows of a table with which a subject may do something, as a condition on their columns (docs/filters.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Mapping, Optional, Sequence, Tuple, Union

from .errors import Network

#: A text, a number or a truth value, with which a column is compared.
FilterValue = Union[str, int, float, bool]

#: A condition on rows, as JSON: `{"op": "eq", "attribute": "properties.owner", "value": "alice"}`.
FilterCondition = Mapping[str, Any]


@dataclass(frozen=True)
class FilterPolicy:
    """A policy that takes part in a filter."""

    policy: str
    policy_id: str
    effect: str
    priority: int


@dataclass(frozen=True)
class Filter:
    """The rows that a subject may do something with: all, none, or those for which the condition holds."""

    kind: Literal["all", "none", "some"]
    condition: Optional[FilterCondition] = None
    #: Set where not all of these rows are allowed: ask a decision for each. Only if the question took that.
    partial: bool = False
    #: There if `explain` asked for them.
    policies: Optional[Tuple[FilterPolicy, ...]] = None
    #: The tenant's revision at which it was found, if the decision point names it.
    revision: Optional[str] = None


def filter_of(
    body: Mapping[str, Any], takes_partial: bool, at: str, revision: Optional[str], in_parts: bool = False
) -> Filter:
    """Reads an answer. Raises `Network` for anything that is not wholly understood, and for an upper bound or a part that was not
    asked for: it selects no row."""
    kind, condition = body.get("kind"), body.get("condition")
    partial = body.get("partial") is not None
    policies = _policies(body.get("explanation"))
    if (takes_partial or not partial) and ("page" in body) == in_parts:
        if kind == "some" and is_condition(condition):
            return Filter("some", condition, partial, policies, revision)
        if kind == "all" and "condition" not in body:
            return Filter("all", None, partial, policies, revision)
        if kind == "none" and "condition" not in body:
            return Filter("none", None, partial, policies, revision)
    raise Network(f"{at} answered without a filter that is understood: that is not an answer.")


def is_condition(given: Any) -> bool:
    """Whether all of a condition is understood."""
    if not isinstance(given, Mapping):
        return False
    op = given.get("op")
    if op in ("and", "or"):
        args: Any = given.get("args")
        return _has_only(given, "args") and _is_list(args) and len(args) > 0 and all(is_condition(arg) for arg in args)
    if op == "not":
        return _has_only(given, "arg") and _is_test(given.get("arg"))
    return _is_test(given)


def _is_test(given: Any) -> bool:
    if not isinstance(given, Mapping) or not _is_attribute(given.get("attribute")):
        return False
    op, value = given.get("op"), given.get("value")
    if op == "present":
        return _has_only(given, "attribute")
    if op in ("eq", "lt", "le", "gt", "ge"):
        kind = _kind_of(value)
        return _has_only(given, "attribute", "value") and kind is not None and (op == "eq" or kind is not bool)
    if op in ("in", "hasAny", "hasOnly"):
        values: Any = given.get("values")
        if not _has_only(given, "attribute", "values") or not _is_list(values):
            return False
        kinds = {_kind_of(one) for one in values}
        # A column has values of one type: databases compare others by rules of their own.
        return None not in kinds and (op != "in" or len(kinds) == 1)
    if op in ("startsWith", "endsWith", "contains"):
        return _has_only(given, "attribute", "value") and isinstance(value, str)
    if op in ("same", "less", "atMost"):
        return _has_only(given, "attribute", "other") and _is_attribute(given.get("other"))
    return False


def _has_only(given: Mapping[str, Any], *names: str) -> bool:
    """A member that nobody knows may change what a test means."""
    return set(given) == {"op", *names}


def _is_attribute(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    root, _, member = value.partition(".")
    return value == "name" or (root in ("properties", "parents") and member != "")


def _kind_of(value: Any) -> Optional[type]:
    if isinstance(value, bool):
        return bool
    if isinstance(value, str):
        return str
    if not isinstance(value, (int, float)):
        return None
    try:
        return float if math.isfinite(value) else None
    except OverflowError:
        return None


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _policies(explanation: Any) -> Optional[Tuple[FilterPolicy, ...]]:
    policies = explanation.get("policies") if isinstance(explanation, dict) else None
    if not isinstance(policies, list):
        return None
    names = ("policy", "policy_id", "effect", "priority")
    return tuple(
        FilterPolicy(*(one[name] for name in names))
        for one in policies
        if isinstance(one, dict) and all(name in one for name in names)
    )
