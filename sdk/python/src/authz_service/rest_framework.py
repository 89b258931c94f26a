"""A permission for Django REST framework."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.permissions import BasePermission

from ._sync.client import Client
from .guard import PUBLIC, UNDECIDED, refusal


class Undecided(APIException):
    status_code = 503
    default_detail = "Whether you may do this could not be decided. Try again later."
    default_code = "undecided"


class AuthzPermission(BasePermission):
    """Asks before a view, and before each object that the view looks up.

    Set `client`, and define `question`, `object_question` or both; each gives a question, `PUBLIC`, or None, which is
    denied. A class that defines neither denies everything.
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
        return self._allowed(self.question(request, view))

    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return self._allowed(self.object_question(request, view, obj))

    def _allowed(self, question: Any) -> bool:
        refused = refusal(self.client, question)
        if refused is UNDECIDED:
            raise Undecided()
        return refused is None
