"""A decorator for Flask."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, TypeVar, cast

from flask import Request, abort, g, request

from ._sync.client import Client
from .guard import ActionPart, ContextPart, Mapper, ResourcePart, SubjectPart, mapper_of, verdict_of

View = TypeVar("View", bound=Callable[..., Any])


def require(
    client: Client,
    subject: SubjectPart[Request],
    action: ActionPart[Request],
    resource: ResourcePart[Request],
    context: ContextPart[Request] = None,
) -> Callable[[View], View]:
    """Asks before the view: 403 where denied, 503 where that could not be decided.

    Each part is given as it is, or as a function of the request; a subject that is None is 401, a part that is
    `NOT_FOUND` is 404. The view finds the decision as `flask.g.authz_decision`. Write it below `@app.route`.
    """
    question: Mapper[Request] = mapper_of(subject, action, resource, context)

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(*values: Any, **named: Any) -> Any:
            verdict = verdict_of(client, question(request))
            if verdict.refusal is not None:
                abort(*verdict.refusal)
            g.authz_decision = verdict.decision
            return view(*values, **named)

        return cast(View, guarded)

    return guard
