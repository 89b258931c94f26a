"""Serves invoices to those who may read them."""

import os
import socket
import sqlite3
import sys
from typing import Any, Dict, Optional

import uvicorn
from authz_service import AsyncClient, Filter, FilterColumns, Resource, ServiceError, Subject, filter_sql
from authz_service.fastapi import require
from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response


# Stands for your own database.
ROWS = sqlite3.connect(":memory:", check_same_thread=False)
ROWS.execute("CREATE TABLE invoice (name TEXT PRIMARY KEY, owner TEXT)")
OWNERS = ["alice", "carol", "bob", "carol", "carol"]
ROWS.executemany("INSERT INTO invoice VALUES (?, ?)", [(f"INV-{at + 1}", owner) for at, owner in enumerate(OWNERS)])

COLUMNS = FilterColumns("invoice.name", {"owner": "invoice.owner"})
PAGE_SIZE = 2


def page_of(rows: Filter, after: str) -> Dict[str, Any]:
    """A page of the invoices that a filter selects, which begins after one of them, and the number of all."""
    where = filter_sql(rows, COLUMNS, "sqlite")
    page = f"SELECT name FROM invoice WHERE {where.sql} AND name > ? ORDER BY name LIMIT ?"
    found = [name for (name,) in ROWS.execute(page, (*where.params, after, PAGE_SIZE + 1))]
    (count,) = ROWS.execute(f"SELECT count(*) FROM invoice WHERE {where.sql}", where.params).fetchone()
    invoices = found[:PAGE_SIZE]
    return {"invoices": invoices, "count": count, "next": invoices[-1] if len(found) > PAGE_SIZE else None}


def user_of(request: Request) -> Optional[Subject]:
    """X-User stands for the login that an application has."""
    name = request.headers.get("x-user")
    return Subject("user", name) if name else None


def invoice_of(request: Request) -> Resource:
    return Resource("invoice", request.path_params["id"])


def make_app(client: AsyncClient) -> FastAPI:
    app = FastAPI()

    @app.get("/invoices/{id}", dependencies=[Depends(require(client, user_of, "read", invoice_of))])
    async def show_invoice(id: str) -> PlainTextResponse:
        return PlainTextResponse(f"Invoice {id}\n")

    @app.get("/invoices")
    async def list_invoices(request: Request, after: str = "") -> Response:
        user = user_of(request)
        if user is None:
            return Response(status_code=401)
        try:
            rows = await client.filter_rows(user, "read", "invoice")
        except ServiceError:
            return Response(status_code=503)
        return JSONResponse(page_of(rows, after))

    return app


if __name__ == "__main__":
    host, _, port = os.environ["LISTEN"].rpartition(":")
    listener = socket.create_server((host, int(port)))
    print(f"listening on http://{host}:{listener.getsockname()[1]}", file=sys.stderr)
    app = make_app(AsyncClient(os.environ["AUTHZ_URL"]))
    uvicorn.Server(uvicorn.Config(app)).run(sockets=[listener])
