"""A permission for Django REST framework."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import APIException, NotFound, ParseError
from rest_framework.permissions import BasePermission

from ._sync.client import Client
from .guard import ABSENT, MALFORMED, PUBLIC, UNDECIDED, verdict_of


class Undecided(APIException):
    status_code = 503
    default_detail = "Whether you may do this could not be decided. Try again later."
    default_code = "undecided"


class AuthzPermission(BasePermission):
    """Asks before a view, and before each object that the view looks up.

    Set `client`, and define `question`, `object_question` or both; each gives a question, `PUBLIC`, `NOT_FOUND`, or None,
    which is denied. The view finds the decision as `request.authz_decision`. A class that defines neither denies everything.
    """

    client: Client

    def question(self, request: Any, view: Any) -> Any:
        """The question that the request asks before any object is known."""
        defined = type(self).object_question is not AuthzPermission.object_question
        return PUBLIC if defined else None

    def object_question(self, request: Any, view: Any, obj: Any) -> Any:
        """The question that the request asks about the object."""
        defined = type(self).question is not AuthzPermission.question
        return PUBLIC if defined else None

    def has_permission(self, request: Any, view: Any) -> bool:
        return self._allowed(request, self.question(request, view))

    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return self._allowed(request, self.object_question(request, view, obj))

    def _allowed(self, request: Any, question: Any) -> bool:
        verdict = verdict_of(self.client, question)
        if verdict.refusal is UNDECIDED:
            raise Undecided()
        if verdict.refusal is ABSENT:
            raise NotFound()
        if verdict.refusal is MALFORMED:
            raise ParseError(MALFORMED[1])
        if verdict.decision is not None:
            request.authz_decision = verdict.decision
        return verdict.refusal is None
