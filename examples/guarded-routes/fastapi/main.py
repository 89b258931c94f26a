"""Serves invoices to those who may read them."""

import os
import socket
import sys
from typing import Optional

import uvicorn
from authz_service import AsyncClient, Resource, Subject
from authz_service.fastapi import require
from fastapi import Depends, FastAPI, Request
from fastapi.responses import PlainTextResponse


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

    return app


if __name__ == "__main__":
    host, _, port = os.environ["LISTEN"].rpartition(":")
    listener = socket.create_server((host, int(port)))
    print(f"listening on http://{host}:{listener.getsockname()[1]}", file=sys.stderr)
    app = make_app(AsyncClient(os.environ["AUTHZ_URL"]))
    uvicorn.Server(uvicorn.Config(app)).run(sockets=[listener])
