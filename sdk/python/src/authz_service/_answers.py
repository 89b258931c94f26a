"""Turns the status, headers and body of answers into values and errors, for both clients."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple
from urllib.parse import urlsplit

from .decision import Candidate, Clause, Decision, Entity, FoundAction, LeftOut, Metadata, Outcome
from .errors import Network, NotEvaluated, Pointer, ServiceError, code_of_status, error_of, is_code

#: The longest answer read, in bytes.
ANSWER_BYTES_MAX = 256 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """An answer, read whole. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def is_anothers(answer: Answer, headers: Mapping[str, str]) -> bool:
    """Whether the answer names another request than that with these headers. Not every decision point names any."""
    return answer.headers.get("x-request-id", headers.get("x-request-id")) != headers.get("x-request-id")


def json_of(answer: Answer, at: str) -> Any:
    """The JSON of a successful answer. Raises `Network` where something other than the service has answered."""
    if is_json(answer):
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            pass
    raise not_the_service(answer.status, content_type(answer), at)


def object_of(answer: Answer, at: str) -> Mapping[str, Any]:
    body = json_of(answer, at)
    if isinstance(body, dict):
        return body
    raise not_the_service(answer.status, "JSON that is no object", at)


def problem_of(answer: Answer, at: str) -> ServiceError:
    """The error that an answer states which is none to the request."""
    status = answer.status
    if status < 300:
        return Network(f"{at} answered {status}: that is no answer to this request, whatever it holds.", status=status)
    if status < 400:
        where = urlsplit(answer.headers.get("location", ""))
        origin = f"{where.scheme}://{where.netloc.rpartition('@')[2]}" if where.netloc else ""
        return Network(
            f"{at} answered {status} and leads to {origin}{where.path}: redirects are not followed, for they would "
            "carry the credential elsewhere. Set the final address as URL.",
            status=status,
        )
    body: Any = None
    if is_json(answer):
        try:
            body = json.loads(answer.body)
        except (ValueError, RecursionError):
            pass
    members: Mapping[str, Any] = body if isinstance(body, dict) else {}
    oauth = _text(members.get("error"))
    if oauth is not None and not is_code(members.get("code")):
        why = _text(members.get("error_description"))
        code = "invalid_client" if oauth == "invalid_client" else code_of_status(status)
        return error_of(code, f"{at} refused ({oauth}){f': {why}' if why else ''}.", status=status)
    code = members["code"] if is_code(members.get("code")) else code_of_status(status)
    if _is_scim_error(members):
        code = _OF_SCIM.get(status, code)
    detail = _text(members.get("detail")) or _text(members.get("message")) or _text(members.get("title"))
    request_id = _text(members.get("request_id")) or answer.headers.get("x-request-id")
    return error_of(
        code, detail or f"{at} answered {status} and gave no detail.", _pointers(members.get("errors")), request_id, status
    )


#: The codes of errors of SCIM where another answer of this status would be a proxy's.
_OF_SCIM = {503: "not_ready", 504: "timeout"}


def _is_scim_error(members: Mapping[str, Any]) -> bool:
    """Whether it is an error of SCIM (RFC 7644 section 3.12), which has no code of the service."""
    schemas = members.get("schemas")
    return isinstance(schemas, list) and "urn:ietf:params:scim:api:messages:2.0:Error" in schemas


def decision_of(body: Any, at: str, revision: Optional[str]) -> Decision:
    if not isinstance(body, dict) or not isinstance(body.get("decision"), bool):
        raise Network(f"{at} answered without a decision: that is not a decision point.")
    context = body.get("context")
    if not isinstance(context, dict):
        return Decision(body["decision"], revision=revision)
    if context.get("error") is not None:
        raise _item_error(context["error"])
    explanation = context.get("explanation")
    return Decision(
        body["decision"],
        _text(context.get("reason")),
        _text(context.get("policy_id")),
        _text(context.get("access_path")),
        _candidates(explanation) if isinstance(explanation, dict) else None,
        context,
        revision=revision,
    )


def outcomes_of(
    body: Mapping[str, Any], asked: int, short_circuits: bool, at: str, revision: Optional[str]
) -> List[Outcome]:
    """One outcome for each question, in order."""
    items = body.get("evaluations")
    if not isinstance(items, list):
        raise Network(f"{at} answered without a list of evaluations: that is not a decision point.")
    if len(items) > asked:
        raise Network(f"{at} answered {len(items)} evaluations where {asked} were asked for.")
    outcomes = [_outcome_of(item, at, revision) for item in items]
    ended = short_circuits and len(items) > 0
    for _ in range(asked - len(items)):
        missing = (
            NotEvaluated("The batch ended with an earlier question.")
            if ended
            else Network(f"{at} left this evaluation out.")
        )
        outcomes.append(Outcome(error=missing))
    return outcomes


def _outcome_of(item: Any, at: str, revision: Optional[str]) -> Outcome:
    try:
        return Outcome(decision_of(item, at, revision))
    except ServiceError as error:
        return Outcome(error=error)


def _item_error(fault: Any) -> ServiceError:
    """`context.error` in the place of a decision (AuthZEN 1.0 section 7.2.1)."""
    members = fault if isinstance(fault, dict) else {}
    status = members.get("status")
    known = status if isinstance(status, int) and not isinstance(status, bool) else 500
    code = members["code"] if is_code(members.get("code")) else code_of_status(known)
    detail = _text(members.get("message")) or _text(fault) or "The evaluation failed and gave no detail."
    return error_of(code, detail, _pointers(members.get("errors")), status=known)


def page_of(body: Mapping[str, Any], at: str) -> Tuple[List[Any], Optional[str]]:
    """The results of a page of a search, and the token of the next."""
    results = body.get("results")
    if not isinstance(results, list):
        raise Network(f"{at} answered without a list of results: that is not a decision point.")
    page = body.get("page")
    return results, (_text(page.get("next_token")) if isinstance(page, dict) else None)


def left_out_of(body: Mapping[str, Any]) -> Optional[LeftOut]:
    """The results that a page of a search left out, if the decision point says so."""
    told = body.get("context")
    count = told.get("left_out") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(count, int) or isinstance(count, bool):
        return None
    absent = told.get("absent")
    return LeftOut(count, [one for one in absent if isinstance(one, str)] if isinstance(absent, list) else [])


def entity_of(result: Any, at: str) -> Entity:
    if isinstance(result, dict) and isinstance(result.get("type"), str) and isinstance(result.get("id"), str):
        return Entity(result["type"], result["id"])
    raise Network(f"{at} answered with a result that has no type and id.")


def action_of(result: Any, at: str) -> FoundAction:
    if isinstance(result, dict) and isinstance(result.get("name"), str):
        return FoundAction(result["name"])
    raise Network(f"{at} answered with a result that has no name.")


def metadata_of(body: Mapping[str, Any], origin: str, at: str) -> Metadata:
    """Every URL must have the origin of the base address, since the credential goes nowhere else."""
    found = {}
    for name in Metadata.__dataclass_fields__:
        url = body.get(name)
        if url is None and name not in ("policy_decision_point", "access_evaluation_endpoint"):
            continue
        if not isinstance(url, str):
            raise Network(f"{at} answered without {name}: that is not a decision point's.")
        parts = urlsplit(url)
        if f"{parts.scheme}://{parts.netloc}" != origin:
            raise Network(f"{at} names {url} as {name}, which is not of {origin}: it is not used.")
        found[name] = url
    return Metadata(**found)


def is_json(answer: Answer) -> bool:
    kind = content_type(answer)
    return kind.startswith("application/") and (kind.endswith("/json") or kind.endswith("+json"))


def content_type(answer: Answer) -> str:
    return answer.headers.get("content-type", "no content type").partition(";")[0].strip().lower()


def not_the_service(status: int, what: str, at: str) -> Network:
    return Network(
        f"{at} answered {status} with {what} that cannot be used: that is not the service. Check the URL, and any proxy "
        "on the way.",
        status=status,
    )


def _candidates(explanation: Mapping[str, Any]) -> Tuple[Candidate, ...]:
    candidates = explanation.get("candidates")
    names = ("policy", "policy_id", "effect", "priority", "access_path", "through", "outcome", "why")
    found: List[Candidate] = []
    for item in candidates if isinstance(candidates, list) else []:
        if isinstance(item, dict) and all(name in item for name in names) and isinstance(item["through"], list):
            members: Dict[str, Any] = {name: item[name] for name in names}
            members["through"] = tuple(item["through"])
            members["place"] = _text(item.get("place"))
            members["clauses"] = _clauses(item.get("clauses"))
            left_out = item.get("clauses_left_out")
            members["clauses_left_out"] = left_out if isinstance(left_out, int) else 0
            found.append(Candidate(**members))
    return tuple(found)


def _clauses(items: Any) -> Tuple[Clause, ...]:
    return tuple(
        Clause(
            item["clause"],
            item["outcome"],
            _text(item.get("why")),
            {name: text for name, text in _members(item.get("values")) if isinstance(text, str)},
        )
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict) and isinstance(item.get("clause"), str) and isinstance(item.get("outcome"), str)
    )


def _members(value: Any) -> Iterable[Tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _pointers(items: Any) -> List[Pointer]:
    return [
        Pointer(_text(item.get("pointer")) or "", item["detail"], _text(item.get("address")))
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict) and isinstance(item.get("detail"), str)
    ]


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and value else None
