"""Measure the client beside `http.client`, and joining, as JSON: `npm run bench -- sdk` runs this.

    python3 scripts/bench.py http://127.0.0.1:8181

The decision point allows alice to read invoices. All is measured in turns, so that whatever else slows the machine down
falls on both sides of a ratio.
"""

import asyncio
import http.client
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from authz_service import AsyncClient, Client, Resource, Subject  # noqa: E402

ALICE, INVOICE = Subject("user", "alice"), Resource("invoice", "INV-1")
TURNS = 9
CALLERS = 100
ROUNDS = 10
PATIENT: Dict[str, Any] = {"decision_timeout": 30.0, "decision_attempt_timeout": 30.0}


def seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def in_turns(turns: int, first: Callable[[], None], second: Callable[[], None]) -> float:
    """The median, over all turns, of the time of the first over that of the second. The first turns are for warming up."""
    return statistics.median([seconds(first) / seconds(second) for _ in range(turns + turns // 10 + 1)][turns // 10 + 1 :])


def over_bare(url: str) -> float:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port)

    def bare() -> None:
        entities = {"subject": {"type": "user", "id": "alice"}, "resource": {"type": "invoice", "id": "INV-1"}}
        body = json.dumps({**entities, "action": {"name": "read"}}).encode()
        connection.request("POST", "/access/v1/evaluation", body, {"content-type": "application/json"})
        if json.loads(connection.getresponse().read())["decision"] is not True:
            raise RuntimeError("it was denied")

    with Client(url, **PATIENT) as client:

        def through() -> None:
            if not client.decide(ALICE, "read", INVOICE):
                raise RuntimeError("it was denied")

        ratio = in_turns(2000, through, bare)
    connection.close()
    return ratio


def threads(url: str) -> float:
    with Client(url, **PATIENT) as alone, Client(url, batch_window=0.001, **PATIENT) as joined:
        with ThreadPoolExecutor(CALLERS) as pool:

            def asked(client: Client) -> Callable[[], None]:
                def ask(_: int) -> None:
                    for _ in range(ROUNDS):
                        if not client.decide(ALICE, "read", INVOICE):
                            raise RuntimeError("it was denied")

                return lambda: list(pool.map(ask, range(CALLERS))) and None

            return in_turns(TURNS, asked(alone), asked(joined))


def tasks(url: str) -> float:
    async def asked(client: AsyncClient) -> float:
        async def ask() -> None:
            for _ in range(ROUNDS):
                if not await client.decide(ALICE, "read", INVOICE):
                    raise RuntimeError("it was denied")

        started = time.perf_counter()
        await asyncio.gather(*[ask() for _ in range(CALLERS)])
        return time.perf_counter() - started

    async def measured() -> float:
        async with AsyncClient(url, **PATIENT) as alone, AsyncClient(url, batch_window=0.001, **PATIENT) as joined:
            return statistics.median([await asked(alone) / await asked(joined) for _ in range(TURNS + 1)][1:])

    return asyncio.run(measured())


if __name__ == "__main__":
    base = sys.argv[1]
    print(json.dumps({"overBare": over_bare(base), "threads": threads(base), "tasks": tasks(base)}))
