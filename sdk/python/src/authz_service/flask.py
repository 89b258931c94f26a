"""A decorator for Flask."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, Optional, TypeVar, cast

from flask import Request, abort, request

from ._sync.client import Client
from .guard import Mapper, Part, mapper_of, refusal

View = TypeVar("View", bound=Callable[..., Any])


def require(
    client: Client,
    subject: Part[Request],
    action: Part[Request],
    resource: Part[Request],
    context: Optional[Part[Request]] = None,
) -> Callable[[View], View]:
    """Asks before the view: 403 where denied, 503 where that could not be decided.

    Each part is given as it is, or as a function of the request; a subject that is None is 401. Write it below
    `@app.route`.
    """
    question: Mapper[Request] = mapper_of(subject, action, resource, context)

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(*values: Any, **named: Any) -> Any:
            refused = refusal(client, question(request))
            if refused is not None:
                abort(refused[0], refused[1])
            return view(*values, **named)

        return cast(View, guarded)

    return guard
