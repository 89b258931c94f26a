"""Puts AuthZEN requests to decision points through this SDK, for tests that ask the same by other means.

A line of standard input is a task, and a line of standard output its answer in AuthZEN's form. `test/src/sdk/asker.ts`
starts it. The cloud is asked by `Client`, and an agent, which takes no key, by `AsyncClient`.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from authz_service import AsyncClient, Client, ServiceError  # noqa: E402

SEARCHES = {
    "search/subject": ("search_subjects", ["subject", "action", "resource"]),
    "search/resource": ("search_resources", ["subject", "action", "resource"]),
    "search/action": ("search_actions", ["subject", "resource"]),
}

SEMANTICS = ("execute_all", "deny_on_first_deny", "permit_on_first_permit")


class Unsayable(Exception):
    """The SDK has no such request."""


async def asked(task: Dict[str, Any], client: Any) -> Dict[str, Any]:
    path, body = task["path"], task["body"]
    if path in SEARCHES:
        return await searched(path, body, client)
    evaluations = body.get("evaluations")
    if path == "evaluation" or evaluations in (None, []):
        decision = await awaited(client.ask(body))
        assert decision.decided
        return {"decision": decision.allowed, "context": decision.context}
    if not isinstance(evaluations, list) or not all(isinstance(one, dict) for one in evaluations):
        raise Unsayable
    options = body.get("options", {})
    given = {name: body[name] for name in ("subject", "action", "resource", "context") if name in body}
    if not all(isinstance(one, dict) for one in [options, *given.values()]):
        raise Unsayable
    semantic = options.get("evaluations_semantic", "execute_all")
    if semantic not in SEMANTICS:
        raise Unsayable
    outcomes = await awaited(
        client.decide_all(evaluations, **given, semantic=semantic, reasons=options.get("reasons", False))
    )
    return {"evaluations": [item for item in map(item_of, outcomes) if item is not None]}


def item_of(outcome: Any) -> Any:
    if outcome.error is None:
        return {"decision": outcome.result().allowed}
    if outcome.error.code == "not_evaluated":
        return None
    stated = {**told(outcome.error), "status": outcome.error.status, "message": outcome.error.detail}
    return {"decision": False, "context": {"error": stated}}


async def searched(path: str, body: Dict[str, Any], client: Any) -> Dict[str, Any]:
    name, wanted = SEARCHES[path]
    page = body.get("page", {})
    if any(not isinstance(body.get(one), dict) for one in wanted) or not isinstance(body.get("context", {}), dict):
        raise Unsayable
    if "token" in page:
        raise Unsayable
    named = {one: body[one] for one in [*wanted, "context"] if one in body}
    found = getattr(client, name)(**named, limit=page.get("limit"))
    if hasattr(found, "__aiter__"):
        results: List[Any] = [result async for result in found]
    else:
        results = list(found)
    answer: Dict[str, Any] = {"results": [{**vars(result)} for result in results]}
    if page:
        # The SDK turns the pages by itself: they come as one.
        answer["page"] = {"next_token": "", "count": len(results)}
    return answer


async def awaited(value: Any) -> Any:
    return await value if hasattr(value, "__await__") else value


def told(error: ServiceError) -> Dict[str, Any]:
    return {"code": error.code, "errors": [{"pointer": one.pointer, "detail": one.detail} for one in error.pointers]}


async def answered(task: Dict[str, Any]) -> Dict[str, Any]:
    discover = task.get("discover", False)
    key = task.get("apiKey")
    try:
        if key is None:
            async with AsyncClient(task["url"], discover=discover) as client:
                return {"status": 200, "body": await asked(task, client)}
        with Client(task["url"], api_key=key, discover=discover) as client:
            return {"status": 200, "body": await asked(task, client)}
    except ServiceError as error:
        return {"status": error.status or 0, "body": {**told(error), "detail": error.detail}}
    except Unsayable:
        return {"unsayable": True}


for line in sys.stdin:
    print(json.dumps(asyncio.run(answered(json.loads(line)))), flush=True)
